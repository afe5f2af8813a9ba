# Reference fits for terms of several columns, levels, periods and shapes, by mgcv.
#
# Run in this folder: Rscript make_references.R
# Writes rows.csv (features, and one column of labels a case) and references.json (what mgcv makes of them).
# Reads hard_rows.csv, the rows of an earlier version of this script, and writes hard_references.json.
#
# pugam subtracts kappa * (integral of squared second derivatives) from the log-likelihood, with features scaled to
# [0, 1]; mgcv subtracts sp/2 * b'Sb. So sp = 2 kappa where S is that integral, and scalePenalty = FALSE keeps it so.
# For te() and ti() S is the integral over the square only if the basis of each margin is orthonormal: the classes "l2"
# and "l2c" below are. mgcv divides the penalty of such a margin by its largest eigenvalue, which is undone here.
# A number that multiplies a curve is divided by the largest one, in size, as in pugam.

Sys.setenv(OMP_NUM_THREADS = "1", OPENBLAS_NUM_THREADS = "1")
suppressPackageStartupMessages({ library(mgcv); library(splines) })

# ------------------------------------------------------------------------------------------------ splines on [0, 1]

clamped_knots <- function(k) c(rep(0, 4), seq_len(k - 4) / (k - 3), rep(1, 4))

bsplines <- function(x, k, derivative = 0) {
  splineDesign(clamped_knots(k), x, ord = 4, derivs = rep(derivative, length(x)))
}

# Nodes and weights of Gauss and Legendre with four points between neighbouring knots: exact for products of cubics.
quadrature <- function(k) {
  points <- c(-1, 1) %o% sqrt(3 / 7 + c(-2, 2) / 7 * sqrt(6 / 5))
  weights <- (18 + c(1, -1) * sqrt(30)) / 36
  breaks <- unique(clamped_knots(k))
  width <- diff(breaks)[1]
  list(nodes = c(outer((c(points) + 1) / 2 * width, breaks[-length(breaks)], "+")),
       weights = rep(rep(weights, each = 2) * width / 2, length(breaks) - 1))
}

# What turns B-splines into an orthonormal basis of the same space, or of its functions that integrate to zero.
orthonormal <- function(k, centred) {
  q <- quadrature(k)
  values <- bsplines(q$nodes, k)
  free <- diag(k)
  if (centred) free <- qr.Q(qr(crossprod(values, q$weights)), complete = TRUE)[, -1]
  free %*% solve(chol(t(free) %*% crossprod(values * sqrt(q$weights)) %*% free))
}

bending <- function(k) {
  q <- quadrature(k)
  crossprod(bsplines(q$nodes, k, 2) * sqrt(q$weights))
}

# ------------------------------------------------------------------------------------------------ margins for mgcv

margin <- function(object, data, centred) {
  k <- object$bs.dim
  object$transform <- orthonormal(k, centred)
  object$X <- bsplines(data[[object$term]], k) %*% object$transform
  object$S <- list(t(object$transform) %*% bending(k) %*% object$transform)
  object$null.space.dim <- 2 - centred
  object$rank <- k - 2
  object
}
smooth.construct.l2.smooth.spec <- function(object, data, knots) {
  structure(margin(object, data, FALSE), class = "orthonormal.smooth")
}
smooth.construct.l2c.smooth.spec <- function(object, data, knots) {
  structure(margin(object, data, TRUE), class = "orthonormal.smooth")
}
Predict.matrix.orthonormal.smooth <- function(object, data) {
  bsplines(data[[object$term]], object$bs.dim) %*% object$transform
}

# Orthonormal contrasts of a factor; ti() is asked not to use the penalty.
smooth.construct.contrasts.smooth.spec <- function(object, data, knots) {
  levels <- nlevels(data[[object$term]])
  object$transform <- qr.Q(qr(contr.sum(levels)))
  object$X <- object$transform[as.integer(data[[object$term]]), ]
  object$S <- list(diag(levels - 1))
  object$null.space.dim <- 0
  object$rank <- levels - 1
  structure(object, class = "contrasts.smooth")
}
Predict.matrix.contrasts.smooth <- function(object, data) object$transform[as.integer(data[[object$term]]), ]

# mgcv's own B-splines and cyclic splines, with the knots of pugam.
KNOTS <- list(age = (-3:10) / 7, bmi = (-3:10) / 7, dose = (-3:10) / 7, month = (0:10) / 10)

# ------------------------------------------------------------------------------------------------ rows and labels

set.seed(20240611)
N <- 800
rows <- data.frame(
  age = round(runif(N, 18, 90), 1),
  bmi = round(runif(N, 17, 43), 2),
  dose = round(runif(N, -1, 2), 3),
  month = round(runif(N, 0, 12), 2),
  site = sample(c("east", "north", "south", "west"), N, replace = TRUE, prob = c(2, 3, 3, 2)),
  clinic = sprintf("c%02d", sample(20, N, replace = TRUE))
)
unit <- function(x) (x - min(x)) / (max(x) - min(x))
scale_features <- function(rows) with(rows, data.frame(
  age = unit(age), bmi = unit(bmi), dose = unit(dose), month = month / 12,
  site = factor(site), clinic = factor(clinic), raw_dose = dose, times_dose = dose / max(abs(dose))
))
scaled <- scale_features(rows)

clinic_effects <- rnorm(20, sd = 0.9)
effects <- with(scaled, list(
  surface = 4 * sin(3 * age) * cos(4 * bmi) - 1,
  solid = 2 * sin(5 * age) + 9 * (bmi - 0.4)^2 * (0.5 + dose) - 8 * (dose - 0.5)^2 + 4 * age * dose - 2,
  pair = 2 * sin(6 * age) + 8 * (bmi - 0.4)^2 + 4 * sin(5 * age) * cos(5 * bmi) - 1.5,
  by_level = c(2, -1.5, 1.5, 1.5)[site] * sin(c(4, 6, 5, 7)[site] * age) + c(-0.5, 0.4, 0, 0.6)[site],
  by_site = c(2, -2, 1.5, 1.5)[site] * sin(c(5, 6, 5, 6)[site] * dose) + c(-0.5, 0.4, 0, 0.6)[site],
  by_number = raw_dose * (2 * sin(5 * age) + 0.5) + 0.3,
  product = 2 * age - 2 * bmi + 8 * (age - 0.5) * (bmi - 0.5),
  levels = clinic_effects[clinic],
  season = 1.5 * sin(2 * pi * month) + 0.8 * cos(4 * pi * month),
  saturating = 2.5 * tanh(4 * age - 1) + 0.3 * sin(12 * age) - 1,
  bowl = 10 * pmax(bmi - 0.45, 0)^2 - 1 + 0.3 * sin(11 * bmi)
))
draw <- function(eta) rbinom(N, 1, plogis(eta))
labels <- with(effects, data.frame(
  z_te = draw(surface),
  z_te3 = draw(solid),
  z_ti = draw(pair),
  z_ti_factor = draw(by_level + 1.5 * scaled$age - 0.7),
  z_by_factor = draw(by_level),
  z_by_number = draw(by_number),
  z_product = draw(product),
  z_levels = draw(levels + season),
  z_cyclic = draw(season),
  z_mix = draw(pair + 0.7 * season + 0.7 * levels + by_site),
  z_rising = draw(saturating),
  z_falling = draw(-saturating),
  z_convex = draw(bowl),
  z_concave = draw(-bowl),
  z_shapes = draw(saturating + bowl + c(-0.5, 0.4, 0, 0.6)[scaled$site])
))
scaled <- cbind(scaled, labels)

# ------------------------------------------------------------------------------------------------ fits by gam()

# `formula` is pugam's, `model` mgcv's; `kappas` has the smoothing parameters of each penalised term of pugam, in the
# order of mgcv's smooths, whose levels or margins they are.
CASES <- list(
  additive = list(
    formula = "s(age) + s(bmi) + f(site)",
    model = z_ti ~ s(age, bs = "bs", k = 10) + s(bmi, bs = "bs", k = 10) + site,
    kappas = list("s(age)" = 2e-3, "s(bmi)" = 1e-2)
  ),
  te = list(
    formula = "te(age, bmi)", model = z_te ~ te(age, bmi, bs = "l2", k = 5, np = FALSE),
    kappas = list("te(age, bmi)" = c(0.003, 0.001))
  ),
  te_of_three = list(
    formula = "te(age, bmi, dose, k=4)", model = z_te3 ~ te(age, bmi, dose, bs = "l2", k = 4, np = FALSE),
    kappas = list("te(age, bmi, dose)" = c(0.01, 0.02, 0.005))
  ),
  ti = list(
    formula = "s(age) + s(bmi) + ti(age, bmi)",
    model = z_ti ~ s(age, bs = "bs", k = 10) + s(bmi, bs = "bs", k = 10) +
      ti(age, bmi, bs = "l2c", k = 5, np = FALSE, mc = c(0, 0)),
    kappas = list("s(age)" = 2e-3, "s(bmi)" = 1e-2, "ti(age, bmi)" = c(0.02, 0.003))
  ),
  ti_with_factor = list(
    formula = "s(age) + f(site) + ti(age, f(site))",
    model = z_ti_factor ~ s(age, bs = "bs", k = 10) + site +
      ti(age, site, bs = c("l2c", "contrasts"), k = c(5, 4), np = FALSE, mc = c(0, 0), fx = c(FALSE, TRUE)),
    kappas = list("s(age)" = 5e-3, "ti(age, f(site))" = 2e-3)
  ),
  by_factor = list(
    formula = "f(site) + s(age, by=site)", model = z_by_factor ~ site + s(age, bs = "bs", k = 10, by = site),
    kappas = list("s(age, by=site)" = c(2e-3, 1e-3, 3e-3, 1e-2))
  ),
  by_number = list(
    formula = "s(age, by=dose)", model = z_by_number ~ s(age, bs = "bs", k = 10, by = times_dose),
    kappas = list("s(age, by=dose)" = 2e-3)
  ),
  product = list(
    formula = "age + bmi + age:bmi + s(dose)",
    model = z_product ~ I(age - 0.5) + I(bmi - 0.5) + I((age - 0.5) * (bmi - 0.5)) + s(dose, bs = "bs", k = 10),
    kappas = list("s(dose)" = 1e-2)
  ),
  levels = list(
    formula = "r(clinic) + s(month, cyclic=True, bounds=(0, 12))",
    model = z_levels ~ s(clinic, bs = "re") + s(month, bs = "cc", k = 11),
    kappas = list("r(clinic)" = 0.4, "s(month)" = 1e-4)
  ),
  cyclic = list(
    formula = "s(month, cyclic=True, bounds=(0, 12))", model = z_cyclic ~ s(month, bs = "cc", k = 11),
    kappas = list("s(month)" = 5e-5)
  ),
  mix = list(
    formula = paste("s(age) + s(bmi) + ti(age, bmi) + s(month, cyclic=True, bounds=(0, 12)) + r(clinic)",
                    "+ f(site) + s(dose, by=site)"),
    model = z_mix ~ s(age, bs = "bs", k = 10) + s(bmi, bs = "bs", k = 10) +
      ti(age, bmi, bs = "l2c", k = 5, np = FALSE, mc = c(0, 0)) + s(month, bs = "cc", k = 11) +
      s(clinic, bs = "re") + site + s(dose, bs = "bs", k = 10, by = site),
    kappas = list("s(age)" = 2e-3, "s(bmi)" = 1e-2, "ti(age, bmi)" = c(0.02, 0.01), "s(month)" = 2e-4,
                  "r(clinic)" = 0.6, "s(dose, by=site)" = c(0.02, 0.02, 0.01, 0.03))
  )
)

# By how much mgcv divides each penalty: the largest eigenvalue of the margin in tensor products, else one.
divisors <- function(smooth) {
  if (!inherits(smooth, "tensor.smooth")) return(1)
  used <- seq_along(smooth$S)
  vapply(smooth$margin[used], function(m) max(eigen(m$S[[1]], TRUE, TRUE)$values), 0)
}

fit_gam <- function(case, kappas = NULL) {
  control <- gam.control(epsilon = if (is.null(kappas)) 1e-11 else 1e-14, scalePenalty = FALSE,
                         newton = list(conv.tol = 1e-9))
  options <- list(case$model, family = binomial(), data = scaled, knots = KNOTS, control = control, method = "REML")
  by <- unlist(lapply(do.call(gam, c(options, fit = FALSE))$smooth, divisors))
  if (!is.null(kappas)) options$sp <- 2 * unlist(kappas, use.names = FALSE) * by
  fit <- do.call(gam, options)
  fit$all_sp <- unname(if (is.null(kappas)) fit$sp else options$sp)
  fit$kappas <- relist(fit$all_sp / (2 * by), case$kappas)
  fit
}

# Degrees of freedom of each term of pugam, over its levels in mgcv.
edf_by_term <- function(fit, case) {
  terms <- lapply(fit$smooth, function(s) sum(fit$edf[s$first.para:s$last.para]))
  by_level <- vapply(fit$smooth, function(s) is.factor(scaled[[s$by]]), NA)
  start <- ifelse(by_level, vapply(fit$smooth, function(s) is.factor(scaled[[s$by]]) && s$by.level == "east", NA), TRUE)
  setNames(as.list(tapply(unlist(terms), cumsum(start), sum)), names(case$kappas))
}

# The gradient of b'Pb / 2, P the sum of all penalties.
penalty_pull <- function(fit) {
  pull <- 0 * coef(fit)
  number <- 0
  for (s in fit$smooth) {
    at <- s$first.para:s$last.para
    for (S in s$S) pull[at] <- pull[at] + fit$all_sp[number <- number + 1] * c(S %*% coef(fit)[at])
  }
  pull
}
penalised_loglik <- function(fit) -deviance(fit) / 2 - sum(coef(fit) * penalty_pull(fit)) / 2
largest_score <- function(fit) max(abs(crossprod(model.matrix(fit), fit$y - fitted(fit)) - penalty_pull(fit)))

reml_reference <- function(case) {
  chosen <- fit_gam(case)
  stopifnot(chosen$converged)
  list(smoothing = chosen$kappas, edf = edf_by_term(chosen, case), total_edf = sum(chosen$edf))
}

gam_reference <- function(case) {
  given <- fit_gam(case, case$kappas)
  stopifnot(given$converged, largest_score(given) < 1e-10)
  list(formula = case$formula, label = as.character(case$model[[2]]), smoothing = case$kappas,
       edf = edf_by_term(given, case), total_edf = sum(given$edf), penalized_loglik = penalised_loglik(given),
       probability = unname(fitted(given)),
       reml = reml_reference(case))
}

hard_reference <- function(case) {
  list(formula = case$formula, label = as.character(case$model[[2]]), reml = reml_reference(case))
}

# ------------------------------------------------------------------------------------------------ shapes by pcls()

SHAPES <- list(
  increasing = list(formula = "s(age, shape='increasing')", label = "z_rising", kappas = list("s(age)" = 1e-5)),
  decreasing = list(formula = "s(age, shape='decreasing')", label = "z_falling", kappas = list("s(age)" = 1e-5)),
  convex = list(formula = "s(bmi, shape='convex')", label = "z_convex", kappas = list("s(bmi)" = 1e-5)),
  concave = list(formula = "s(bmi, shape='concave')", label = "z_concave", kappas = list("s(bmi)" = 1e-5)),
  shapes = list(
    formula = "s(age, shape='increasing') + s(bmi, shape='convex') + s(dose) + f(site)", label = "z_shapes",
    kappas = list("s(age)" = 1e-5, "s(bmi)" = 1e-5, "s(dose)" = 1e-3)
  )
)

# B-spline coefficients that rise, or second derivatives at the knots that are not negative: rows of A in A b >= 0.
shape_rows <- function(shape, k) {
  rising <- diff(diag(k))
  bent <- bsplines(unique(clamped_knots(k)), k, 2)
  switch(shape, increasing = rising, decreasing = -rising, convex = bent, concave = -bent)
}
# A curve that integrates to zero and meets a shape with room to spare, at the given points.
inside <- function(shape, t) {
  switch(shape, increasing = t - 1 / 2, decreasing = 1 / 2 - t, convex = t^2 - 1 / 3, concave = 1 / 3 - t^2, 0 * t)
}

shape_of <- function(formula, name) {
  found <- regmatches(formula, regexec(sprintf("s\\(%s, shape='([a-z]+)'\\)", name), formula))[[1]]
  if (length(found)) found[2] else ""
}

# All parts of the problem, with constraints A b >= 0: columns X for the intercept, for the contrasts of f(site), and
# k - 1 centred functions a spline.
shape_problem <- function(case, k = 10) {
  names <- sub("s\\((.*)\\)", "\\1", names(case$kappas))
  transform <- orthonormal(k, TRUE)
  grid <- seq(0, 1, 0.01)
  parametric <- cbind(rep(1, N), if (grepl("site", case$formula)) contr.sum(4)[scaled$site, ])
  q0 <- ncol(parametric)
  q <- q0 + (k - 1) * length(names)
  problem <- list(X = parametric, S = list(), off = integer(), A = matrix(0, 0, q), start = rep(0, q0))
  for (number in seq_along(names)) {
    first <- q0 + (number - 1) * (k - 1)
    shape <- shape_of(case$formula, names[number])
    problem$X <- cbind(problem$X, bsplines(scaled[[names[number]]], k) %*% transform)
    problem$S[[number]] <- t(transform) %*% bending(k) %*% transform
    problem$off[number] <- first
    if (nzchar(shape)) {
      A <- shape_rows(shape, k) %*% transform
      problem$A <- rbind(problem$A, cbind(matrix(0, nrow(A), first), A, matrix(0, nrow(A), q - first - k + 1)))
    }
    problem$start <- c(problem$start, qr.solve(bsplines(grid, k) %*% transform, inside(shape, grid)))
  }
  problem
}

# The Hessian of the penalty.
shape_penalty <- function(problem, kappas) {
  P <- matrix(0, ncol(problem$X), ncol(problem$X))
  for (number in seq_along(kappas)) {
    at <- problem$off[number] + seq_len(nrow(problem$S[[number]]))
    P[at, at] <- 2 * kappas[number] * problem$S[[number]]
  }
  P
}

# Fisher scoring, each step a quadratic programme, which pcls() solves with an active set.
climb <- function(problem, y, kappas, objective) {
  b <- problem$start
  for (iteration in 1:200) {
    eta <- c(problem$X %*% b)
    p <- plogis(eta)
    w <- p * (1 - p)
    programme <- list(y = eta + (y - p) / w, w = w, X = problem$X, C = matrix(0, 0, 0), S = problem$S,
                      off = problem$off, sp = 2 * kappas, p = problem$start, Ain = problem$A,
                      bin = rep(0, nrow(problem$A)))
    step <- pcls(programme) - b
    size <- 1
    while (objective(b + size * step) < objective(b) && size > 1e-8) size <- size / 2
    b <- b + size * step
    if (max(abs(step)) < 1e-11) return(b)
  }
  stop("no convergence")
}

# Stops unless b is the optimum: within the constraints, and its score is held by positive forces of active ones.
count_active <- function(problem, b, score) {
  room <- c(problem$A %*% b) / apply(abs(problem$A), 1, max)
  active <- problem$A[room < 1e-9, , drop = FALSE]
  stopifnot(nrow(active) > 0, room > -1e-9)
  forces <- qr.coef(qr(t(active)), -score)
  stopifnot(forces > 0, abs(score + c(forces %*% active)) < 1e-8)
  nrow(active)
}

shape_reference <- function(case) {
  problem <- shape_problem(case)
  y <- scaled[[case$label]]
  kappas <- unlist(case$kappas)
  P <- shape_penalty(problem, kappas)
  objective <- function(b) {
    eta <- c(problem$X %*% b)
    sum(y * eta - pmax(eta, 0) - log1p(exp(-abs(eta)))) - c(b %*% P %*% b) / 2
  }
  b <- climb(problem, y, kappas, objective)
  p <- plogis(c(problem$X %*% b))
  active <- count_active(problem, b, c(crossprod(problem$X, y - p) - P %*% b))
  list(formula = case$formula, label = case$label, smoothing = case$kappas, n_active = active,
       penalized_loglik = objective(b), probability = p)
}

# ------------------------------------------------------------------------------------------------ files

as_json <- function(x, indent = "") {
  if (is.list(x)) {
    deeper <- paste0(indent, " ")
    parts <- sprintf('%s"%s": %s', deeper, names(x), vapply(x, as_json, "", indent = deeper))
    return(paste0("{\n", paste(parts, collapse = ",\n"), "\n", indent, "}"))
  }
  text <- if (is.character(x)) sprintf('"%s"', x) else if (is.integer(x)) sprintf("%d", x) else
    sprintf(if (length(x) > 50) "%.9f" else "%.10g", x)
  if (length(x) == 1) text else paste0("[", paste(text, collapse = ","), "]")
}

made_by <- sprintf("%s, mgcv %s", sub(" \\(.*", "", R.version.string), packageVersion("mgcv"))
references <- list(
  made_by = made_by,
  gam = lapply(CASES, gam_reference),
  shapes = lapply(SHAPES, shape_reference)
)
write.csv(cbind(rows, labels), "rows.csv", row.names = FALSE, quote = FALSE)
writeLines(as_json(references), "references.json")

hard_rows <- read.csv("hard_rows.csv")
scaled <- cbind(scale_features(hard_rows), hard_rows[startsWith(names(hard_rows), "z_")])
writeLines(as_json(list(made_by = made_by, gam = lapply(CASES, hard_reference))), "hard_references.json")
