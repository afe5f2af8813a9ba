"""What the columns of a file are for and what they hold: roles, features, levels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pugam.data import Levels, SampleRoles, is_missing, numbered_names
from pugam.errors import InputError
from pugam.files import DataFile, Kind
from pugam.terms import Axis, columns_read, parse_formula

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = [
    "AUTO",
    "Features",
    "Roles",
    "family_of",
    "kinds_of_names",
    "match_levels",
    "plain_types",
    "remembered",
    "split_names",
    "without_empty_types",
]


AUTO = "auto"  # kinds of positives that no column tells
LONG_NUMBER = r"(\d\.?){16}"
DECIMAL_WHOLE = re.compile(r"[.,]0$")  # 2023.0, as whole numbers are written beside gaps


@dataclass(frozen=True)
class Roles:
    """What the columns of a file are for; those without a role are features, unless they are dropped.

    Attributes
    ----------
    label : str or None
        Who is a labelled positive; None where positives come in a file of their own.
    positive : str or None
        The value of the label that marks a positive, where it is not coded 1.
    weights, groups, name : str or None
    drop : columns to leave out
    sample, audit, audit_chance, negative : str or None
        Which unlabelled sample a row is from, what an audit found and with what chance there was one, and which rows
        are known negatives.
    strata : str or None
        Of a survey: in which stratum the row's group was drawn.
    kind : str or None
        Of which kind of positives a labelled row is.
    """

    label: str | None = None
    positive: str | None = None
    weights: str | None = None
    groups: str | None = None
    name: str | None = None
    drop: tuple[str, ...] = ()
    sample: str | None = None
    audit: str | None = None
    strata: str | None = None
    audit_chance: str | None = None
    negative: str | None = None
    kind: str | None = None

    @classmethod
    def of_fit(cls, known: Mapping[str, Any], in_one_file: bool, **given: str | None) -> Roles:
        """Take the roles that a saved model remembers of its fit, where no others are given.

        Labels are in one file only; another column of labels has other words for positives.
        """
        found: dict[str, Any] = {
            name: column or known.get("id" if name == "name" else name) for name, column in given.items()
        }
        if not in_one_file or given["label"] is not None:
            found["positive"] = given["positive"]
        if not in_one_file:
            found["label"] = given["label"]
        if found.get("kind") == AUTO:
            found["kind"] = None
        return cls(**found)

    @classmethod
    def as_in_fit(
        cls, known: Mapping[str, Any], in_one_file: bool, label: str | None = None, positive: str | None = None
    ) -> Roles:
        """Take all roles that a saved model remembers, for its rows, or others like them."""
        others = ("weights", "groups", "name", "sample", "audit", "strata", "audit_chance", "negative", "kind")
        return cls.of_fit(known, in_one_file, label=label, positive=positive, **dict.fromkeys(others))

    @property
    def of_rows(self) -> dict[str, str]:
        """Columns that tell samples, audits, known negatives and surveys, by the arguments of a fit that take them."""
        given = self.sample, self.audit, self.audit_chance, self.negative, self.groups, self.strata
        return SampleRoles(*given).given

    def without(self, columns: Collection[str]) -> Roles:
        """The same roles, but none for these columns."""
        known = self.of_rows | self.of_kinds
        taken: dict[str, Any] = {role: None for role, column in known.items() if column in columns}
        return replace(self, **taken)

    @property
    def of_kinds(self) -> dict[str, str]:
        """The column that tells kinds of positives, by the argument of a fit that takes it."""
        return {} if self.kind is None else {"kind": self.kind}

    def require_own_labels(self) -> None:
        """Refuse labels that tell something else, too, but for clusters and strata, which may be drawn by them."""
        told = {"weights": self.weights, "id": self.name, **self.of_rows, **self.of_kinds}
        for role, column in told.items():
            if column is not None and column == self.label and role not in ("groups", "strata"):
                flag = f"--{role.replace('_', '-')}"
                raise InputError(f"Column {column!r} cannot be both --label and {flag}; give {flag} another column.")

    @property
    def naming(self) -> tuple[str | None, ...]:
        """Columns whose values are names, whatever they look like."""
        return self.sample, self.groups, self.strata, self.kind

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that have a role of their own."""
        given = (self.label, self.weights, self.name, *(self.of_rows | self.of_kinds).values())
        return tuple(dict.fromkeys(column for column in given if column is not None))


@dataclass(frozen=True)
class Features:
    """Which columns are features, all without a role where none is named, and what those of a CSV file hold."""

    columns: tuple[str, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of the factors whose levels are text

    def without(self, columns: Collection[str]) -> Features:
        """The same, but for these columns."""
        kinds = {name: kind for name, kind in self.kinds.items() if name not in columns}
        return replace(self, columns=tuple(name for name in self.columns if name not in columns), kinds=kinds)

    def naming(self, kinds: Mapping[str, Kind]) -> Features:
        """The same, with what columns of names hold."""
        return replace(self, kinds={**self.kinds, **kinds})

    @classmethod
    def of_formula(cls, formula: str | None, labelling: str | None = None, interactions: Any = None) -> Features:
        """Take the columns of a formula; those inside f() are levels, also where they look like numbers: 007.

        Beside a formula, columns may stand in terms of labelling or in pairs of interactions alone.
        """
        if formula is None:
            return cls()
        specs = parse_formula(formula)
        own = columns_read(specs)
        beside = [] if labelling is None else parse_formula(labelling)
        pairs = [name for pair in interactions for name in pair] if isinstance(interactions, list) else []
        levels = [column for spec in specs for column in spec.level_columns]
        levels += [column for spec in beside for column in spec.level_columns if column not in own]
        return cls(tuple(dict.fromkeys([*own, *columns_read(beside), *pairs])), dict.fromkeys(levels, "text"))

    @classmethod
    def of_model(cls, model: PUGAM) -> Features:
        """Take the columns of a fitted model, to be read as what they were in the fit.

        Of a fit to an array they are all of its columns, by whose names a table is known to be like it.
        """
        bases = (basis for one in model._models for basis in one._design.bases)
        axes = {axis.column: axis for basis in bases for axis in basis.axes}
        kinds = {column: _kind_of(axis) for column, axis in axes.items()}
        unnamed = [] if hasattr(model, "feature_names_in_") else numbered_names(model.n_features_in_)
        return cls(
            tuple(dict.fromkeys([*axes, *unnamed])),
            {column: kind for column, kind in kinds.items() if kind is not None},
            {
                column: [level for level in axis.levels if isinstance(level, str)]
                for column, axis in axes.items()
                if not axis.is_numeric and kinds[column] == "text"
            },
        )


def remembered(model: PUGAM) -> dict[str, Any]:
    """What a saved model remembers of the data of its fit: words, and a level; what else a file says is not ours."""
    known = model.provenance_["data"]
    return {name: value for name, value in known.items() if (isinstance(value, str) and value) or name == "level"}


def split_names(given: Sequence[str], known: Collection[str]) -> list[str]:
    """Columns that a flag was given; several may stand behind one, with commas between them."""
    return [name for text in given for name in ([text] if text in known else text.split(","))]


def kinds_of_names(files: Sequence[DataFile], columns: Collection[str | None]) -> dict[str, Kind]:
    """What columns of names hold, of samples, clusters or kinds of positives: numbers only if all files hold these.

    Two names that are one number, such as 01 and 1, are text: otherwise they would be one name.
    """
    found: dict[str, Kind] = {}
    for column in dict.fromkeys(name for name in columns if name is not None):
        held = [(file, kind) for file in files if column in file.names and (kind := _kind_of_names(file, column))]
        kinds = {kind for _, kind in held}
        if len(kinds) > 1 or (kinds == {"number"} and _have_equal_names([file for file, _ in held], column)):
            found[column] = "text"
        elif kinds:
            found[column] = kinds.pop()
    return found


def _kind_of_names(file: DataFile, column: str) -> Kind | None:
    """What a column of names holds; None where the file says it itself, or holds none at all."""
    try:
        kind = file.kinds([column]).get(column)
    except InputError:  # of a feature it would be a slip
        return "text"
    if kind != "number":
        return kind
    cells = [batch.column(0) for batch in file.batches([column])]
    if all(cell.null_count == len(cell) for cell in cells):
        return None
    return "text" if any(map(_has_long_numbers, cells)) else "number"


def _has_long_numbers(text: pa.Array) -> bool:
    """Whether numbers have more digits than a float keeps: two of them could become one name."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(text, LONG_NUMBER)).as_py())


def _have_equal_names(files: Iterable[DataFile], column: str) -> bool:
    """Whether two numbers of files of text are equal, but spelt in two ways."""
    spelt: dict[float, str] = {}
    return any(spelt.setdefault(number, text) != text for file in files for number, text in _numbers(file, column))


def _numbers(file: DataFile, column: str) -> list[tuple[float, str]]:
    """Numbers of a column, and how each is spelt; 2023.0 as 2023 where gaps made whole numbers decimal, all of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found: dict[str, float] = {}
    for batch in file.batches([column]):
        cells = pa.RecordBatch.from_arrays([batch.column(0).unique()], [column])
        numbers = file.typed(cells, {column: "number"}).column(0).to_pylist()
        texts = pc.utf8_trim_whitespace(cells.column(0)).to_pylist()
        found |= {text: number for text, number in zip(texts, numbers, strict=True) if number is not None}
    are_decimal = all(DECIMAL_WHOLE.search(text) for text in found)
    return [(number, DECIMAL_WHOLE.sub("", text) if are_decimal else text) for text, number in found.items()]


def _kind_of(axis: Axis) -> Kind | None:
    """What a column of a CSV file is to be read as; None where numbers from 0 to 1 may be booleans."""
    if axis.is_numeric:
        return None if (axis.lower, axis.upper) == (0.0, 1.0) else "number"
    if any(isinstance(level, str) for level in axis.levels):
        return "text"
    return "boolean" if all(isinstance(level, bool) for level in axis.levels) else "number"


def match_levels(table: pa.Table, features: Features) -> pa.Table:
    """Write numbers and booleans as text where the fit, to a file of text, took them for levels."""
    import pyarrow as pa

    there = set(table.column_names)
    for name, levels in features.levels.items():
        if name in there and family_of(table.schema.field(name).type) in ("numbers", "booleans"):
            known = Levels(name, levels)
            coded = table[name].combine_chunks().dictionary_encode()
            values = coded.dictionary.to_pylist()
            words = [None if is_missing(value) else known.find(value) for value in values]
            text = pa.array(words, pa.string()).take(coded.indices)
            table = table.set_column(table.column_names.index(name), name, text)
    return table


def family_of(kind: Any) -> str:
    """Name what a type of Arrow stands for: numbers, booleans, text or nothing; others by their own name."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind):
        return "nothing"
    if pa.types.is_boolean(kind):
        return "booleans"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    return "text" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else str(kind)


def plain_types(table: pa.Table) -> pa.Table:
    """Write levels out, so that two tables with different levels can be joined."""
    import pyarrow as pa

    for place, (name, kind) in enumerate(zip(table.schema.names, table.schema.types, strict=True)):
        if pa.types.is_dictionary(kind):
            table = table.set_column(place, name, table[name].cast(kind.value_type))
    return table


def without_empty_types(table: pa.Table) -> pa.Table:
    """Take the type away from columns without any value: a CSV file cannot tell what they would hold."""
    import pyarrow as pa

    for place, name in enumerate(table.column_names):
        if table[name].null_count == table.num_rows:
            table = table.set_column(place, name, pa.nulls(table.num_rows))
    return table
