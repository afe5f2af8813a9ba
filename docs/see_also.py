"""Links between the names of the reference: each name of a group leads to the others."""

# By the last part of what owns the names: the class, or a module.
GROUPS = {
    "PUGAM": (
        ("pi_interval", "shares", "diagnose", "sensitivity", "bootstrap"),
        ("diagnose", "check_terms", "test_labelling", "check_audit", "test_curves"),
        ("effect", "odds_ratio", "contrast", "importance", "plot"),
        ("test", "anova", "check_terms", "importance"),
        ("predict_proba", "predict_interval", "explain", "worklist", "decision_function", "log_density_ratio"),
        ("test_labelling", "labelling_bounds"),
        ("shares", "share_difference", "test_shares", "test_curves"),
        ("refit", "changes_since", "drift", "unscorable"),
        ("save", "export", "report", "summary"),
        ("kinds", "of_kind", "predict_kinds"),
    ),
    "pugam": (("s", "te", "ti"), ("l", "f", "r", "offset", "s")),
    "metrics": (
        ("roc_auc_score", "average_precision_score", "scorer"),
        ("precision_score", "recall_score", "f1_score", "scorer"),
        ("accuracy_score", "balanced_accuracy_score", "scorer"),
        ("brier_score_loss", "log_loss", "scorer"),
    ),
    "datasets": (("simulate", "load_tumours", "load_wilt", "load_spambase"),),
}


def related(owner: str, name: str) -> list[str]:
    """The other names of all groups that a name is in."""
    groups = GROUPS.get(owner, ())
    return list(dict.fromkeys(other for group in groups if name in group for other in group if other != name))


def add(app, what, name, subject, options, lines):
    """Put a section "See Also" before the notes and examples of a docstring, where it has none."""
    path, _, last = name.rpartition(".")
    owner = path.rpartition(".")[2]
    others = related(owner, last)
    if others and "See Also" not in lines:
        place = next((number for number, line in enumerate(lines) if line in ("Notes", "Examples")), len(lines))
        prefix = "PUGAM." if owner == "PUGAM" else ""
        lines[place:place] = ["See Also", "--------", ", ".join(prefix + other for other in others), ""]
