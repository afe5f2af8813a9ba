"""What every kind of term is: a value that a user asks for, which meets the data, and is written down and read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pugam.data import Column
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.options import JointMissingPolicy, Option, UnseenPolicy, check_column, shown
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.tokens import format_column, format_value

if TYPE_CHECKING:
    from pugam.terms.basis import Basis

__all__ = [
    "Argument",
    "Term",
    "columns_read",
    "find_function",
    "functions",
    "group_columns",
    "read_column",
    "read_term",
    "register_term",
]

Kind = TypeVar("Kind", bound="type[Term]")


class Term(ABC):
    """A term as a user asks for it, before any data is seen. Kinds of terms are frozen dataclasses.

    A kind says everything about itself in one file: this class is what it asks for, the `Basis` that `resolve` returns
    is what became of it when it met the data. `register_term` makes a kind known to formulas and saved models.

    Attributes
    ----------
    function : str
        How a formula spells it: "s" for s(age).
    kind : str
        Its name in a saved model.
    purpose : str
        What it is for, in a few words: "for a smooth".
    takes : str
        What it takes, for messages: "column" or "columns".
    options : mapping from names to Option
        The fields that are given by name, each of which has a default.
    missing : "error", "effect" or "zero"
        What becomes of missing values.
    """

    function: ClassVar[str]
    kind: ClassVar[str]
    purpose: ClassVar[str]
    takes: ClassVar[str] = "column"
    is_margin: ClassVar[bool] = False  # whether interactions take it as it is, and not as a curve
    is_known: ClassVar[bool] = False  # whether it is added as it is, with nothing to estimate
    is_labelling: ClassVar[bool] = False  # whether it says who is labelled, and has no part in the density ratio
    tells_levels_apart: ClassVar[bool] = False  # whether it gives each level of its column an effect, and no more
    options: ClassVar[Mapping[str, Option]]
    missing: JointMissingPolicy

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that the term reads."""

    @abstractmethod
    def resolve(self, columns: Sequence[Column]) -> Basis:
        """Meet the columns, in which no value is missing: find range, knots or levels."""

    @abstractmethod
    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> Basis:
        """Return the basis whose `found` a saved model holds."""

    @property
    def level_columns(self) -> tuple[str, ...]:
        """The columns whose values are levels, also where they look like numbers."""
        return ()

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """The sets of columns whose joint effects the term contains: no two terms may contain the same."""
        return frozenset({frozenset(self.columns)})

    def common(self, column: str) -> Term | None:
        """Return the term as it would be if it did not vary with the levels of a column; None where it does not."""
        return None

    def varying(self, column: str) -> Term | None:
        """Return the term with a curve for each level of a column; None where there is no such term."""
        is_free = "by" in self.options and asdict(self)["by"] is None  # type: ignore[call-overload]
        return replace(self, by=column) if is_free else None  # type: ignore[type-var]

    @property
    def gap_policy(self) -> JointMissingPolicy:
        """What to advise where values are missing: "zero" where main effects, which are other terms, tell of them.

        "error" where the term can have no missing values.
        """
        return "effect"

    @property
    def label(self) -> str:
        """The term as it is shown: its kind and columns, without its other options."""
        return f"{self.function}({', '.join(map(shown, self.columns))})"

    @property
    def formula(self) -> str:
        """The term as a formula that reads back, without options at their defaults."""
        return f"{self.function}({', '.join([*self._arguments(), *self._options_written()])})"

    def with_option(self, option: str) -> str:
        """Write the term as it is shown with one more option, for advice: "s(age, missing='effect')"."""
        return f"{self.label[:-1]}, {option})"

    def permitting_gaps(self) -> Self:
        """Return the term with leave for missing values, unless it says itself what becomes of them."""
        if "missing" not in self.options or self.missing != "error":
            return self
        return replace(self, missing=self.gap_policy)  # type: ignore[type-var]

    def treating_unseen(self, policy: UnseenPolicy) -> Self:
        """Return the term with another policy for levels that the fit never saw; terms without levels stay."""
        return replace(self, unseen=policy) if "unseen" in self.options else self  # type: ignore[type-var]

    def _arguments(self) -> list[str]:
        """Write what comes before the options."""
        return [format_column(self.columns[0])]

    def _options_given(self) -> dict[str, Any]:
        defaults = {field.name: field.default for field in fields(self)}  # type: ignore[arg-type]
        values = asdict(self)  # type: ignore[call-overload]
        return {name: values[name] for name in self.options if values[name] != defaults[name]}

    def _options_written(self) -> list[str]:
        given = self._options_given().items()
        return [f"{name}={_written(value, self.options[name].is_column)}" for name, value in given]

    @classmethod
    def of_arguments(cls, arguments: Sequence[Argument], options: Mapping[str, Any]) -> Self:
        """Make the term of what stands between the parentheses in a formula: columns, terms or numbers, and options."""
        column, *others = arguments
        if not isinstance(column, str) or len(others) > 1 or any(isinstance(other, str | Term) for other in others):
            raise InputError(
                f"{cls.function}() takes one column, and its options by name; {cls._for_several(arguments)}."
            )
        if others and ("k" not in cls.options or "k" in options):
            raise InputError(f"{cls.function}() takes one column, and its options by name.")
        k = {"k": others[0]} if others else {}
        return cls(column, **k, **options)  # type: ignore[call-arg]

    @classmethod
    def _for_several(cls, arguments: Sequence[Argument]) -> str:
        """What to write for several columns, for messages."""
        return "give each column a term of its own"

    def to_plain(self) -> dict[str, Any]:
        """Return the term as plain values for a saved model, without options at their defaults."""
        return {"kind": self.kind, "column": self.columns[0], **self._plain_options()}

    def _plain_options(self) -> dict[str, Any]:
        options = self._options_given()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}

    @classmethod
    def from_plain(cls, node: Node) -> Self:
        """Read the term from a saved model."""
        parts = node.fields("kind", "column", optional=tuple(cls.options))
        return cls(read_column(parts["column"]), **cls._read_options(parts))  # type: ignore[call-arg]

    @classmethod
    def _read_options(cls, parts: Mapping[str, Node]) -> dict[str, Any]:
        return {name: option.read(parts[name]) for name, option in cls.options.items() if name in parts}


Argument = str | int | float | Term


def _written(value: Any, is_column: bool) -> str:
    return format_column(value) if is_column else format_value(value)


def columns_read(terms: Iterable[Term]) -> tuple[str, ...]:
    """The columns that terms read, each once."""
    return tuple(dict.fromkeys(name for term in terms for name in term.columns))


def group_columns(terms: Iterable[Collection[str]]) -> list[frozenset[str]]:
    """Put the columns that each of several terms reads into groups between which there are no interactions.

    Examples
    --------
    >>> [sorted(group) for group in group_columns([("x", "y"), ("w",), ("y", "z")])]
    [['w'], ['x', 'y', 'z']]
    """
    groups: list[frozenset[str]] = []
    for columns in filter(None, terms):
        touching = [group for group in groups if group.intersection(columns)]
        groups = [group for group in groups if group not in touching] + [frozenset(columns).union(*touching)]
    return groups


def read_column(node: Node) -> str:
    """Read the name of a column from a saved model."""
    try:
        check_column(node.value)
    except InputError:
        raise node.error("the name of a column") from None
    return node.text()


_FUNCTIONS: dict[str, type[Term]] = {}
_KINDS: dict[str, type[Term]] = {}


def register_term(kind: Kind) -> Kind:
    """Make a kind of term known to formulas and to saved models; a decorator of its class.

    The formula calls `of_arguments` of the class, a saved model `from_plain`.

    Examples
    --------
    >>> from pugam.terms import register_term
    >>> from pugam.terms.kinds.linear import Linear
    >>> register_term(Linear) is Linear
    True
    """
    known = (_FUNCTIONS.get(kind.function), _KINDS.get(kind.kind))
    if any(other is not None and _home(other) != _home(kind) for other in known):
        raise InputError(
            f"There is a kind of term {kind.kind!r}, or one that formulas spell {kind.function}(), already."
        )
    _FUNCTIONS[kind.function] = _KINDS[kind.kind] = kind
    return kind


def _home(kind: type[Term]) -> tuple[str, str]:
    """Where a class is defined: a module that is run again, as in a notebook, defines its classes anew."""
    return kind.__module__, kind.__qualname__


def find_function(name: str) -> type[Term] | None:
    """Return the kind of term that a formula spells so."""
    return _FUNCTIONS.get(name)


def functions() -> Mapping[str, type[Term]]:
    """Return all kinds of terms by their spelling in a formula."""
    return dict(_FUNCTIONS)


def _find_kind(node: Node) -> type[Term]:
    """Return the kind of term that an object of a saved model describes."""
    if not isinstance(node.value, dict) or "kind" not in node.value:
        raise node.error(f'an object with a "kind", one of {", ".join(_KINDS)}')
    return _KINDS[node.fields("kind", others=True)["kind"].choice(tuple(sorted(_KINDS)))]


def read_term(node: Node) -> Term:
    """Read a term of any kind from a saved model."""
    try:
        return _find_kind(node).from_plain(node)
    except InputError as error:
        if str(error).startswith(node.file):
            raise
        raise node.error(f"a term that can be: {error}") from None
