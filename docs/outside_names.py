"""Where names of Python, NumPy and pandas are documented: inventories for intersphinx, which then needs no network."""

import zlib
from pathlib import Path

FUNCTIONS, TYPES = "library/functions.html#$", "library/stdtypes.html#$"
# By library: where its documentation is; then for each kind of name, the names and their places ($ is the name).
LIBRARIES = {
    "python": (
        "https://docs.python.org/3/",
        {
            "py:class": dict.fromkeys(("int", "float"), FUNCTIONS)
            | dict.fromkeys(("str", "list", "tuple", "dict"), TYPES),
            "py:data": dict.fromkeys(("None", "True", "False"), "library/constants.html#$"),
            "py:function": {"callable": FUNCTIONS},
            "std:label": {"bltin-boolean-values": "library/stdtypes.html#boolean-type-bool"},
            "std:term": dict.fromkeys(("sequence", "iterable", "generator"), "glossary.html#term-$"),
        },
    ),
    "numpy": (
        "https://numpy.org/doc/stable/",
        {
            "py:class": {
                "numpy.ndarray": "reference/generated/$.html",
                "numpy.random.Generator": "reference/random/generator.html#$",
                "numpy.random.RandomState": "reference/random/legacy.html#$",
            },
            "std:term": {"array_like": "glossary.html#term-$"},
        },
    ),
    "pandas": ("https://pandas.pydata.org/docs/", {"py:class": {"pandas.DataFrame": "reference/api/$.html"}}),
}
# Words in the types of docstrings that lead to a name, beside those that numpydoc knows.
ALIASES = {
    "Generator": "numpy.random.Generator",
    "DataFrame": "pandas.DataFrame",
    "PUGAM": "pugam.PUGAM",
    "LabelledTable": "pugam.datasets.LabelledTable",
}


def write(folder: Path) -> dict[str, tuple[str, str]]:
    """Write an inventory for each library, and return what intersphinx is to be told."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for library, (address, kinds) in LIBRARIES.items():
        path = folder / f"{library}.inv"
        head = f"# Sphinx inventory version 2\n# Project: {library}\n# Version: \n# compressed using zlib.\n"
        lines = [f"{name} {kind} 1 {place} -\n" for kind, places in kinds.items() for name, place in places.items()]
        path.write_bytes(head.encode() + zlib.compress("".join(lines).encode()))
        mapping[library] = (address, str(path))
    return mapping
