"""Every number that tunes a fit, in one place, each with its reason or the table behind it.

What follows from the model or from the paper is no tuning and stands where it is used: the range of pi, the grids of
smoothing parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TUNING", "Tuning"]


@dataclass(frozen=True)
class Tuning:
    """How climbs go, where they begin, what a first look sees, and when curves are shrunken.

    Gains and falls are in log-likelihood. What a step of the strategy is worth: benchmarks/results/ablation.md.
    """

    # Where climbs begin. With flat curves pi is not identified: starts differ above all in steepness.
    start_steepness: tuple[float, ...] = (3.0, 1.0, 8.0)  # times the naive fit's; ablation.md
    start_shares: tuple[float, ...] = (0.5, 0.2, 0.8, 0.95)  # of the way from the lower to the upper end of pi's range
    naive_tol: float = 1e-2  # a direction is all that is wanted
    naive_iterations: int = 30
    calibration_steps: int = 5  # secant steps for the intercept of a start

    # One step. No further than this is the quadratic model trusted.
    longest_pi_step: float = 2.0  # on the logit scale
    longest_intercept_step: float = 20.0  # where classes separate, curves grow without bound: let them grow fast
    longest_growth: float = 1.0  # of the intercept, in addition, relative to its size
    least_share_of_gain: float = 0.1  # sufficient increase, as in line searches: no leaps onto plateaus
    rounding: float = 1e-12  # relative fall of the objective that rounding alone can cause
    longest_following: float = 1.0  # change of the intercept up to which the tangent is a guide when pi is corrected
    farthest_following: float = 1e3  # the same for a coefficient

    # Damping: added to the diagonal of the information, relative to it.
    first_damping: float = 0.1  # a hundredth of it takes 6 to 20% more steps to the same ends
    negligible_damping: float = 1e-12  # taken for none
    stuck_damping: float = 1e8  # not even a tiny step leads upwards
    first_growth: float = 4.0  # after a step that failed; doubles with each one in a row, as Nielsen's rule does
    growth_of_growth: float = 2.0
    fastest_fall: float = 0.1
    smallest_promise: float = 1e-200  # keeps a ratio of gains finite

    # When a climb has ended.
    near: float = 0.5  # predicted gain below which the observed information is tried: half a standard error or so
    little_gain: float = 0.01  # of the tolerance: a climb that can gain no more has converged
    one_hill: float = 0.05  # squared distance, in standard errors, at which two climbs are taken for one
    last_steps: int = 6  # Newton steps of the last climb: each squares what is left
    little_left: float = 1e-9  # gain from which one step more leads to the optimum, to 1e-10 standard errors
    nothing: float = 1e-20  # gain that is not worth that step

    small_weights: float = 0.1  # the share of rows with weights below the one that gains of EM are measured by
    longest_creep: int = 10  # Newton steps in a row that promise less than the tolerance; three are usual

    # Refits to resampled rows begin near their optimum.
    close: float = 0.1  # predicted gain below which the information is not renewed
    falling: float = 0.2  # part of the last predicted gain below which the next one has to lie for that to go on
    coasting_tol: float = 1e-4  # of the tolerance: such steps converge linearly, so the last one says less

    # EM, the paper's algorithm.
    em_inner_iterations: int = 50
    em_inner_gain: float = 1e-3  # of the outer tolerance: an M-step with no more to gain has ended
    em_smallest_step: float = 2.0**-30
    em_most_left: float = 1e3  # tolerances that may be left to gain where a run has ended: it creeps, by design

    # Constraints on shapes, solved exactly by exchanging active ones.
    most_exchanges: int = 100  # for each constraint there is; a handful is usual
    negligible_push: float = 1e-11  # of the strongest one: what is weaker is rounding

    # Smoothing parameters by REML.
    kappa_limits: tuple[float, float] = (1e-8, 1e8)  # beyond, a curve is a line or not smoothed, to six digits of edf
    largest_factor: float = 1e3  # of one update
    edf_tol: float = 1e-2  # degrees of freedom: a hundredth is not visible in any curve
    reml_iterations: int = 50  # ten are usual; of dozens of terms one may go on wandering by a fraction of a degree
    reml_halvings: int = 10
    longest_stretch: float = 4.0  # Aitken's, of updates that go on in the same direction; ablation.md
    same_log: float = 0.02  # logarithms of smoothing parameters closer than that are taken for the same
    not_penalized: float = 1e-9  # penalty, brought to the size of information, below which a direction is free
    flat_direction: float = 1e-10  # the same, relative to the strongest penalty of a term
    no_information: float = 1e-10  # share of information below which data say nothing about a direction
    smallest_information: float = 1e-100  # keeps a scale finite

    # Pilots: climbs from all starts with a coarse basis on few rows.
    pilot_functions: int = 3  # of each smooth: a line, a bow and a wave tell good starts from traps; ablation.md
    pilot_tol: float = 1e-2
    pilot_iterations: int = 40
    pilot_edf_tol: float = 0.05
    pilot_kappa: float = 1.0  # smooth enough that no start runs away
    pilot_rows: int = 1_000  # at least
    pilot_rows_per_column: int = 10
    pilot_rows_per_free_column: int = 40  # slopes and levels, which no penalty holds where few rows separate labels
    start_rows: int = 10_000  # on which starts at given smoothing parameters are compared
    newton_start_iterations: int = 25  # what has not arrived by then creeps along a boundary
    em_start_iterations: int = 5_000
    many_columns: int = 150  # beyond, a coarser basis goes first; ablation.md
    many_rows: int = 50_000  # beyond, a sample is fitted first, and passes over all rows are saved
    sample_rows: int = 10_000  # at least, in that sample; scales of columns are compared on as many
    # For each row of a first look: then these go all the way, and all rows begin nearby. Chosen with abalone in sight.
    rows_for_a_few: int = 10
    rows_for_one: int = 20  # of which one at least is in the sample that is fitted first: 4 or 5 standard errors away

    # A coarser basis, for second looks and shrunken fits.
    most_functions: int = 6  # of each smooth
    fewest_functions: int = 3  # where terms are many: a line, a bow and a wave
    coarse_columns: int = 150  # that many terms share among themselves

    # Second looks, once smoothing is chosen.
    most_moves: int = 4
    straight_edf: float = 0.5  # a term that bends by fewer degrees of freedom is looked at for a bend
    possible_kappas: int = 33  # two to a factor of ten between the limits
    clearly_better: float = 1.0  # in log marginal likelihood as seen from afar, to go and look
    worth_moving: float = 0.01  # gain that is more than what climbs leave
    lookout_starts: int = 6
    lookout_tol: float = 1e-2
    lookout_iterations: int = 40
    rough_kappa: float = 1e-2  # a fit with no more smoothing shows waves
    rough_starts: int = 2
    alike_edf: float = 1.5  # differences in edf and logit pi too small to be worth a comparison on all rows
    alike_logit: float = 0.3

    # How far apart features usually put the classes, in mean log density ratio. Chosen among (5, 1), (8, 1.2) and
    # (12, 0.8) on the tables to choose on (benchmarks/division.py): the first two do alike, the third does worse.
    usual_separation: float = 8.0  # for normal features, a ROC area of 0.977
    separation_spread: float = 1.2  # standard deviation of its logarithm: two below is a ROC area of 0.73
    # Variance of log preferences: two deviations below, a label is 1.2 times as likely, two above 10.
    usual_preference: float = 0.5
    preference_starts: tuple[float, ...] = (0.0, 0.8, -0.6)  # from the share that random labels would give, in logits

    # Shrunken fits: when, and how. benchmarks/results/shrinkage.md and ablation.md
    fewest_rows_per_column: int = 20  # labelled or unlabelled, whichever are fewer; of columns that nothing restrains
    fewest_doubtful_rows_per_column: int = 5  # 3 to 6 do as well on real tables
    undetermined: float = 0.5  # width of a 95% interval for pi that says next to nothing
    ridge: float = 3.0  # on the squares of coefficients of columns scaled to unit variance
    ridge_growth: float = 3.0  # each further function of a smooth is restrained so many times as much
    n_folds: int = 5
    n_dealings: int = 3  # into folds: how few rows happen to be dealt out moves pi; benchmarks/results/stability.md
    fold_seed: int = 1  # the same rows fall into the same folds, always
    dealing_ridge: float = 0.1  # by variance, on the direction along which rows are told apart
    alike_decimals: int = 12  # of rows that are taken for twins, which go to the same fold
    fewest_kinds: int = 50  # of rows: with fewer kinds, rows that are alike are dealt out one by one
    least_part: float = 1e-9  # of a row, that is dealt to a fold: less is rounding
    comparing_tol: float = 1e-2  # of climbs that only serve to compare, or to predict rows held out
    comparing_iterations: int = 30

    # Share, intercept and steepness from rows held out.
    least_difference: float = 1e-3  # of mean scores, in their standard deviations: below, there is nothing to see
    held_out_starts: tuple[tuple[float, float], ...] = (  # pi, log steepness
        (0.2, 0.5), (0.5, 1.2), (0.8, 1.2), (0.95, 1.2), (0.5, 2.0), (0.9, 2.0), (0.1, 1.5),
    )  # fmt: skip
    fixed_starts: int = 2  # the best of them, where pi is fixed
    log_steepness: tuple[float, float] = (-8.0, 2.0)  # what is steeper is a step, and too sure of itself
    largest_intercept: float = 300.0
    newton_steps: int = 3  # from where L-BFGS stops: each squares the distance that is left
    largest_change: float = 10.0  # of log steepness, when posteriors are averaged over it

    # Evidence: coefficients integrated out, variances of their families estimated.
    first_precision: float = 0.05  # loose: with flat curves pi is not identified
    log_precision_limits: tuple[float, float] = (-18.0, 18.0)
    longest_log_move: float = 4.6  # of one update: a factor of 100
    log_tol: float = 1e-3
    least_degrees: float = 1e-9
    least_variance: float = 1e-8  # of a model column: it says nothing
    approach_gain: float = 0.05  # log evidence, below which precisions are near: exact derivatives take over
    most_adjustments: int = 16
    settled_gain: float = 1e-2  # log evidence that other precisions may gain beside the top,
    summit_gain: float = 1e-5  # and there, other values of pi included
    far_below: float = 100.0  # log evidence: too far for a climb to make up for it
    generous: float = 4.0  # times what a parabola promises: the gain beyond which there is no hope
    longest_adjustment: float = 2.0  # of the logarithm of a precision, in one step
    bend_growth: float = 4.0  # of a parabola that promised too much
    shorter: float = 0.5  # times a step that failed: what has been learned of it has to lead less far
    least_curvature: float = 1e-3  # of the one known, below which slopes along a step tell nothing
    longest_guess: float = 1.0  # of logarithms that are thought to follow pi, as far as the bend of the evidence shows
    # May be left to gain at a mode that is followed; a hundredth at one searched for. Chosen with abalone in sight.
    evidence_tol: float = 1e-5
    most_left: float = 1.0  # what a climb that has ended may seem to have left to gain; more is no gain but rounding
    evidence_iterations: int = 200  # of a climb to the mode; three are usual, many with weights of millions
    evidence_limit: float = 1.92  # fall of the evidence at the limits of a 95% interval: half a chi-square quantile
    evidence_fall: float = 5.5  # how far it is followed down: 99.9% intervals
    evidence_grid: int = 4001
    same_place: float = 1e-9  # on the logit scale: rounding must not decide whether a place is looked at twice
    fewest_places: int = 3
    most_places: int = 60
    most_walks: int = 8  # from a start far away, or with weights of millions: nearer to the top each time
    profile_steps: tuple[float, float] = (1e-6, 0.4)  # on the logit scale; in between, a standard error
    glance: float = 0.2  # standard errors: whether, so far beside the top, curves of few rows have a higher mode
    first_step: float = 2.0  # standard errors: near a limit of the 95% interval
    least_error: float = 0.1  # of a share, relative to the usual one; in 60 fits it was above 0.58 or below 0.001
    uneven: float = 0.1  # of a change of the evidence, its part that no parabola has: the limits move by 1% of it
    step_growth: float = 1.5  # at most, and not less than its inverse
    beyond: float = 1.05  # how far down a step aims, relative to how far it has to go
    next_to: float = 0.1  # of the distance from the top: places that near tell where a limit is
    longest_look: float = 1.0  # step towards the top, on the logit scale
    longest_tangent: float = 2.0
    largest_factor_given: float = 2.0  # by which given numbers of rows sharpen a share; more only where pi is near one
    largest_shift: float = 50.0  # of averaged logits
    least_rise: float = 0.05  # of averaged logits, relative to where variances are all alike: rows keep their order
    clear_gain: float = 3.0  # log evidence that speaks for interactions: odds of 20 to 1
    possible_gain: float = 1.0  # of one pair, as seen from the additive model, to try it
    screening_rows: int = 50_000  # whose information stands for that of all when pairs are looked at: to one percent
    rows_at_a_time: int = 100_000  # whose scores are worked out together: arrays of all rows would be many
    few_pairs: int = 10  # of five columns: all of them are tried, whatever is seen
    pair_functions: tuple[int, ...] = (3, 2, 1)  # of each column: as many as leave enough rows for each product
    rows_per_product: int = 3
    most_products: int = 250
    fewest_columns: int = 3  # for interactions to be looked for

    # Kinds of positives: where climbs of all of them begin.
    next_to_none: float = -8.0  # logit of a share that leaves unlabelled rows negative
    kind_steepness: tuple[float, ...] = (1.5, 3.0)  # times that of the fit in which they are
    kind_shares: tuple[float, ...] = (0.1, 0.4)  # of all kinds together
    kind_fall: float = 20.0  # log evidence by which a start may be lower than the best one
    farthest_error: float = 5.0  # standard errors up to which the evidence of a kind's share is drawn
    most_kind_columns: int = 300  # of all kinds, interactions included: with more, one climb takes half a minute

    # Clusters of the labelled rows, which may be kinds.
    most_clusters: int = 12
    cluster_starts: int = 3
    least_cluster_variance: float = 1e-3  # added to that of each component, of columns with variance one
    fewest_cluster_values: int = 10  # distinct ones of a column: fewer are levels, which no normal density resembles
    skewed: float = 2.0  # beyond, logarithms are clustered
    cluster_patience: int = 3  # so many larger mixtures in a row that are no better end the search

    def functions_each(self, n_terms: int) -> int:
        """How many functions each of so many terms has in a coarser basis."""
        return max(self.fewest_functions, min(self.most_functions, self.coarse_columns // n_terms))


TUNING = Tuning()
