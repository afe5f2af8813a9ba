"""Pictures of a model and its diagnosis: their panels, what is drawn in them, and what is refused."""

import io
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pugam import PUGAM, InputError
from pugam.inference import Interval
from pugam.solvers import StartRecord

TITLES = {
    "effects": ["s(age)", "f(site)", "s(dose)", "l(weight)", "f(group)"],
    "profile": ["profile"],
    "starts": ["where the starts ended"],
    "calibration": ["calibration"],
    "sensitivity": ["s(age)", "f(site)", "s(dose)", "l(weight)", "f(group)"],
    "diagnosis": ["profile", "where the starts ended", "calibration"],
}


@pytest.fixture(scope="module")
def frame():
    """Numbers, gaps, and factors with and without gaps."""
    rng = np.random.default_rng(3)
    n = 900
    y = np.repeat([1, 0], [550, 350])
    columns = {
        "age": rng.normal(1.2 * y, 1.0),
        "site": np.where(rng.random(n) < 0.3 + 0.3 * y, "north", rng.choice(["east", "south"], n)),
        "dose": np.where(rng.random(n) < 0.2, np.nan, rng.normal(1.0 * y, 1.0 + 0.5 * y)),
        "weight": rng.normal(0.8 * y, 1.0),
        "group": np.where(rng.random(n) < 0.1, None, np.where(rng.random(n) < 0.4 + 0.3 * y, "u", "v")),
    }
    return pd.DataFrame(columns)


@pytest.fixture(scope="module", params=[None, 0.4], ids=["pi estimated", "pi fixed"])
def model(request, frame):
    formula = "s(age, k=6) + f(site) + s(dose, k=6, missing='effect') + weight + f(group, missing='effect')"
    return PUGAM(formula, pi=request.param, n_starts=4).fit(frame, (np.arange(900) < 350).astype(int))


@pytest.fixture(scope="module")
def diagnosis(model):
    return model.diagnose()


def panels(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


def panel(figure, title):
    (ax,) = (ax for ax in panels(figure) if ax.get_title().startswith(title))
    return ax


# With pi fixed, only what tells of pi differs.
PICTURES = [
    pytest.param(
        pi, what, titles, marks=[] if pi is None or what == "diagnosis" else [pytest.mark.long], id=f"{name}-{what}"
    )
    for pi, name in ((None, "pi estimated"), (0.4, "pi fixed"))
    for what, titles in TITLES.items()
]


@pytest.mark.parametrize(("model", "what", "titles"), PICTURES, indirect=["model"], scope="module")
def test_each_picture_has_its_panels_and_can_be_saved(model, diagnosis, what, titles):
    options = {"order": "formula"} if what == "effects" else {"diagnosis": diagnosis}
    picture = io.BytesIO()
    if what == "starts" and not diagnosis.starts:
        with pytest.raises(
            InputError, match=r'There are no starts to draw: PUGAM\(estimate="mode"\) fits from several'
        ):
            model.plot(what, **options)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        figure = model.plot(what, **options)
        figure.savefig(picture, format="png", dpi=40)

    assert type(figure) is Figure
    drawn = [title for title in titles if title != "where the starts ended" or diagnosis.starts]
    assert [ax.get_title().split(",")[0] for ax in panels(figure)] == drawn
    assert all(ax.has_data() or ax.texts for ax in panels(figure))
    assert picture.getvalue().startswith(b"\x89PNG")


def test_a_diagnosis_is_made_where_none_is_given(model, diagnosis):
    made, given = model.plot("calibration"), model.plot("calibration", diagnosis=diagnosis)

    assert panels(made)[0].get_title() == panels(given)[0].get_title()


@pytest.mark.parametrize("what", ["curves", "", "Effects", None])
def test_an_unknown_picture_is_refused_with_the_names_there_are(model, what):
    names = (
        r"'effects', 'explain', 'shares', 'kinds', 'labelling', 'worklist', 'posterior', .*'sensitivity', 'diagnosis'"
    )
    with pytest.raises(InputError, match=f"plot draws {names}"):
        model.plot(what)


def test_options_that_a_picture_does_not_have_are_refused(model, diagnosis):
    with pytest.raises(InputError, match=r"plot\('starts'\) takes no simultaneous"):
        model.plot("starts", diagnosis=diagnosis, simultaneous=True)


@pytest.mark.parametrize("what", ["profile", "calibration", "diagnosis"])
def test_the_title_gives_the_verdict_and_the_interval(model, diagnosis, what):
    figure = model.plot(what, diagnosis=diagnosis)

    interval = f": {model.pi_interval()}" if what == "diagnosis" else ""  # too long for one panel
    assert figure.get_suptitle() == f"pi is {diagnosis.verdict}{interval}"


def test_the_title_says_that_a_model_does_not_fit(model, diagnosis):
    figure = model.plot("profile", diagnosis=replace(diagnosis, verdict="does not fit"))

    assert figure.get_suptitle() == "The model does not fit these data"


# What is drawn


def test_the_profile_is_drawn_with_its_limit_and_the_estimate(model, diagnosis):
    ax = panel(model.plot("profile", diagnosis=diagnosis), "profile")

    if diagnosis.verdict == "fixed":
        assert [text.get_text() for text in ax.texts] == ["pi is fixed"]
        assert not ax.lines
        return
    curves = [line.get_xydata() for line in ax.lines]
    np.testing.assert_allclose(curves[0][:, 1], 3.8415, atol=1e-3)
    np.testing.assert_array_equal(curves[1], np.column_stack([diagnosis.profile_pi, diagnosis.profile_deviance]))
    np.testing.assert_array_equal(curves[2][:, 0], model.pi_)
    assert ax.get_ylim()[1] > 3.8415
    assert [text.get_text() for text in ax.texts] == ["95%"]


def test_starts_are_drawn_where_they_ended_below_the_best(model, diagnosis):
    records = [StartRecord(1.0, 0.5, pi, -100.0 - behind, 5, True) for pi, behind in ((0.4, 0.0), (0.7, 3.0))]
    stopped = replace(records[0], pi=0.2, objective=-150.0, converged=False)
    ax = panel(model.plot("starts", diagnosis=replace(diagnosis, starts=(*records, stopped))), "where")

    converged, given_up = (np.asarray(dots.get_offsets()) for dots in ax.collections)
    np.testing.assert_allclose(converged, [[0.4, 0.0], [0.7, 3.0]])
    np.testing.assert_allclose(given_up, [[0.2, 50.0]])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "converged",
        "given up",
        f"estimate, {diagnosis.wald.estimate:.3f}",
    ]
    assert ax.lines[0].get_xdata()[0] == diagnosis.wald.estimate
    lowest, highest = ax.get_ylim()
    assert lowest > 50.0 > highest  # the best on top


def test_calibration_is_drawn_around_the_diagonal(model, diagnosis):
    found = diagnosis.calibration
    ax = panel(model.plot("calibration", diagnosis=diagnosis), "calibration")
    diagonal, points = (line.get_xydata() for line in ax.lines[:2])

    np.testing.assert_array_equal(diagonal[:, 0], diagonal[:, 1])
    np.testing.assert_array_equal(points, np.column_stack([found.predicted, found.observed]))
    (bars,) = (collection.get_segments() for collection in ax.collections)
    np.testing.assert_allclose([bar[1, 1] - bar[0, 1] for bar in bars], 2.0 * 1.959964 * found.se, rtol=1e-5)
    assert ax.get_title() == f"calibration, p = {found.pvalue:.2g}"


def test_sensitivity_draws_each_effect_once_for_each_pi(model, diagnosis):
    figure = model.plot("sensitivity", diagnosis=diagnosis)
    found = diagnosis.sensitivity

    for number, title in enumerate(TITLES["sensitivity"]):
        curves = [line for line in panel(figure, title).lines if line.get_label().startswith("pi = ")]
        assert [line.get_label() for line in curves] == [f"pi = {pi:.2f}" for pi in found.pi]
        shades = [line.get_alpha() for line in curves]
        assert shades == sorted(shades)
        assert shades[0] < shades[-1]
        if title == "l(weight)":
            basis, block = model._design.bases[number], model._design.blocks[number]
            for line, theta in zip(curves, found.coef[:, block], strict=True):
                slope = np.diff(line.get_ydata()) / np.diff(line.get_xdata())
                np.testing.assert_allclose(slope, theta[0] / (basis.upper - basis.lower), rtol=1e-6)


@pytest.mark.parametrize("what", ["effects", "sensitivity"])
def test_levels_are_named_on_the_axis_missing_ones_too(model, diagnosis, what):
    figure = model.plot(what, **({} if what == "effects" else {"diagnosis": diagnosis}))

    for title, names in (("f(site)", ["east", "north", "south"]), ("f(group)", ["u", "v", "missing"])):
        assert [label.get_text() for label in panel(figure, title).get_xticklabels()] == names


def test_the_effect_of_missing_numbers_stands_beside_the_curve(model, frame):
    ax = panel(model.plot("effects"), "s(dose)")
    effect = model.effect("dose", [np.nan]).iloc[0]

    assert [text.get_text() for text in ax.texts] == ["missing"]
    place, height = ax.texts[0].xy
    assert place > frame["dose"].max()
    assert height == pytest.approx(effect["u"])


def test_simultaneous_bands_are_wider_in_the_picture(model):
    def top(figure):
        return panel(figure, "s(age)").collections[0].get_datalim(panel(figure, "s(age)").transData).y1

    assert top(model.plot("effects", simultaneous=True)) > top(model.plot("effects"))


def test_the_level_is_shown_in_the_title(model):
    assert model.plot("effects", level=0.8).get_suptitle().endswith(str(model.pi_interval(0.8)))


def test_panels_stand_in_lines_of_four(model, diagnosis):
    figure = model.plot("sensitivity", diagnosis=diagnosis)
    geometry = figure.axes[0].get_subplotspec().get_gridspec().get_geometry()

    assert geometry == (2, 3)
    assert len(figure.axes) == 6
    assert len(panels(figure)) == 5


def test_a_profile_open_on_one_side_can_be_drawn(model, diagnosis):
    profile = Interval(0.6, 0.4, 1.0, 0.95, "profile")
    pi = np.linspace(0.3, 0.99, 20)
    opened = replace(
        diagnosis, profile_interval=profile, profile_pi=pi, profile_deviance=20.0 * np.maximum(0.6 - pi, 0.0)
    )

    figure = model.plot("profile", diagnosis=opened)

    assert panel(figure, "profile").lines[1].get_xdata().max() == 0.99


def test_a_rug_marks_where_the_rows_lie_and_can_be_left_out(model):
    with_rug, without = (panel(model.plot("effects", rug=rug), "s(dose)") for rug in (True, False))

    assert len(with_rug.lines) == len(without.lines) + 1
    marks = with_rug.lines[-2].get_xdata() if with_rug.lines[-1].get_marker() != "|" else with_rug.lines[-1].get_xdata()
    low, high = with_rug.get_xlim()
    assert ((marks >= low) & (marks <= high)).all()


def test_panels_share_their_scale_when_asked(model):
    limits = {ax.get_ylim() for ax in panels(model.plot("effects", shared_scale=True))}

    assert len(limits) == 1
    assert len({ax.get_ylim() for ax in panels(model.plot("effects"))}) > 1


def test_pictures_are_drawn_in_axes_of_the_caller(model, diagnosis):
    from matplotlib.figure import Figure

    figure = Figure()
    first, second = figure.subplots(1, 2)
    term = model.terms_[0].column

    assert model.plot("effects", terms=[term], axes=first) is figure
    assert model.plot("calibration", diagnosis=diagnosis, axes=second) is figure
    assert len(figure.axes) == 2
    assert first.get_title() == model.terms_[0].label
    with pytest.raises(InputError, match=r"\d panels?; axes gives 4"):
        model.plot("diagnosis", diagnosis=diagnosis, axes=[first, second] * 2)


def test_the_histogram_of_posteriors_counts_the_unlabelled_rows(model):
    ax = model.plot("posterior").axes[0]
    bars = [patch for patch in ax.patches if hasattr(patch, "get_height")]

    assert sum(bar.get_height() for bar in bars) == pytest.approx(model.n1_)
    with pytest.raises(InputError, match=r"plot\('posterior'\) takes axes; got bins"):
        model.plot("posterior", bins=3)
