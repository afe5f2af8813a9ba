"""The certifying programs are no tests: they need mpmath, and are run by hand."""

collect_ignore = [
    "certify.py",
    "certify_samples.py",
    "certify_selection.py",
    "curves.py",
    "data_sets.py",
    "infinity.py",
    "likelihood.py",
    "lists.py",
]
