"""What a saved model says about the data it came from: how labels were coded, which features there were."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.nodes import Node

__all__ = ["read_features", "read_labels", "write_features", "write_labels"]

MOST_FEATURES = 2**31
# Names of modules and types come from these lists, never from the file: a name from there could stand for anything.
LIBRARIES = ("pandas", "polars", "pyarrow")
LABEL_TYPES: dict[str, type[np.generic]] = {
    kind.__name__.rstrip("_"): kind
    for kind in (
        np.bool_,
        *(np.int8, np.int16, np.int32, np.int64),
        *(np.uint8, np.uint16, np.uint32, np.uint64),
        *(np.float16, np.float32, np.float64),
    )
}
WIDEST_TYPE = "float64"  # stands in for types that not every machine has


def write_labels(classes: NDArray[Any]) -> dict[str, Any]:
    """Write the two codes and their type; a code is written as a whole number, or as true and false."""
    kind = classes.dtype.name if classes.dtype.name in LABEL_TYPES else WIDEST_TYPE
    unlabelled, positive = (bool(code) if kind == "bool" else int(code) for code in classes)
    return {"unlabelled": unlabelled, "positive": positive, "type": kind}


def read_labels(node: Node) -> NDArray[Any]:
    """Read the two codes as an array."""
    parts = node.fields("unlabelled", "positive", "type")
    kind = parts["type"].choice(tuple(LABEL_TYPES))
    if kind == "bool":
        codes: list[bool | int] = [parts["unlabelled"].choice((False,)), parts["positive"].choice((True,))]
    else:
        below = (0,) if kind.startswith("u") else (-1, 0)
        codes = [parts["unlabelled"].choice(below), parts["positive"].choice((1,))]
    return np.array(codes, dtype=LABEL_TYPES[kind])


def write_features(n_features: int, names: tuple[str, ...] | None, library: str) -> dict[str, Any]:
    """Write number and names of the features, and the library that frames are made with."""
    return {
        "count": int(n_features),
        "names": None if names is None else list(names),
        "frames": library if library in LIBRARIES else LIBRARIES[0],
    }


def read_features(node: Node) -> tuple[int, tuple[str, ...] | None, str]:
    """Read number and names of the features, and the library that frames are made with."""
    parts = node.fields("count", "names", "frames")
    n_features = parts["count"].whole(1, MOST_FEATURES)
    names = None if parts["names"].value is None else _read_names(parts["names"], n_features)
    return n_features, names, parts["frames"].choice(LIBRARIES)


def _read_names(node: Node, n_features: int) -> tuple[str, ...]:
    names = tuple(item.text() for item in node.items(n_features))
    if len(set(names)) < len(names):
        raise node.error("names that are all different")
    return names
