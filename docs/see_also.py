"""Links between the names of the reference: each method of a group leads to the others."""

GROUPS = (
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
)


def related(name: str) -> list[str]:
    """The other names of all groups that a name is in."""
    return list(dict.fromkeys(other for group in GROUPS if name in group for other in group if other != name))


def add(app, what, name, subject, options, lines):
    """Put a section "See Also" before the notes and examples of a method's docstring, where it has none."""
    owner, _, method = name.rpartition(".")
    others = related(method) if owner.endswith("PUGAM") else []
    if others and "See Also" not in lines:
        place = next((number for number, line in enumerate(lines) if line in ("Notes", "Examples")), len(lines))
        lines[place:place] = ["See Also", "--------", ", ".join(f"PUGAM.{other}" for other in others), ""]
