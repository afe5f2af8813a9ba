"""The certifying program is no test: it needs mpmath, and is run by hand."""

collect_ignore = [
    "certify.py",
    "certify_samples.py",
    "curves.py",
    "data_sets.py",
    "infinity.py",
    "likelihood.py",
    "lists.py",
]
