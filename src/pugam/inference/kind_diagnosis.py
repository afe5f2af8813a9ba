"""The diagnosis of a fit with several kinds of positives: those of the kinds, and the worst of their verdicts."""

from __future__ import annotations

from dataclasses import dataclass

from pugam.inference.diagnosis import Diagnosis
from pugam.inference.findings import Finding
from pugam.inference.intervals import Interval
from pugam.inference.kind_shares import of_found_kinds, worst_verdict
from pugam.inference.verdict import headline
from pugam.messages import Argument, Message, Words, in_python

__all__ = ["FoundKinds", "KindDiagnoses"]


@dataclass(frozen=True)
class FoundKinds(Finding):
    """Nobody told kinds of positives apart: clustering did."""

    said = (
        "Kinds were found by clustering the labelled rows, and intervals take these clusters for given, so that they "
        "cover too seldom: a rare kind may have been taken for part of another one, and its hidden rows missed. If "
        "anybody knows the kinds, give them as ",
        Argument("kind"),
        "; otherwise show the estimate beside that of a fit without kinds.",
    )


@dataclass(frozen=True, repr=False)
class KindDiagnoses:
    """What was found about each kind of positives.

    Attributes
    ----------
    names : tuple of str
    diagnoses : tuple of Diagnosis
        Of the fit of each kind; their pi is the share among rows of no other kind.
    interval : Interval
        For pi, the share of all kinds together.
    found : bool
        Whether kinds were found by clustering, not given.
    """

    names: tuple[str, ...]
    diagnoses: tuple[Diagnosis, ...]
    interval: Interval
    found: bool = False

    @property
    def verdict(self) -> str:
        """The worst of the verdicts on the kinds; at best "weakly determined" where kinds were found."""
        worst = str(self._worst[0])
        return str(of_found_kinds(worst)) if self.found else worst

    @property
    def worst(self) -> str:
        """The first kind with the worst verdict."""
        return self.names[self._worst[1]]

    @property
    def _worst(self) -> tuple[str, int]:
        return worst_verdict([found.verdict for found in self.diagnoses])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was seen that should worry, each with its kind and a remedy."""
        return tuple(map(str, self.messages))

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was found about how kinds were told apart, and about each of them."""
        of_all = [FoundKinds().message] if self.found else []
        pairs = zip(self.names, self.diagnoses, strict=True)
        return *of_all, *(Message(f"Kind {name!r}: ", said) for name, found in pairs for said in found.messages)

    def caveat(self, n_reasons: int | None = None) -> Message | None:
        """What has to be said before any number: the worst verdict, its kind, and its reasons, or so many of them."""
        said = self.diagnoses[self._worst[1]].caveat(n_reasons)
        if said is not None:
            return Message(f"Kind {self.worst!r}: ", said)
        return Message(f"{headline(self.verdict)}. ", FoundKinds().message) if self.found else None

    def in_words(self, interval: Interval | None = None, words: Words = in_python) -> str:
        """Tell what was found, kind by kind, with an interval for pi made before."""
        shown = self.interval if interval is None else interval
        reason = f"by kind {self.worst!r}" if self.verdict == self._worst[0] else "since kinds were found by clustering"
        lines = [f"{headline(self.verdict)}, {reason}. All kinds together: {shown}"]
        lines += ["! " + FoundKinds().message.told(words)] if self.found else []
        for name, found in zip(self.names, self.diagnoses, strict=True):
            lines += ["", f"Kind {name!r}, among unlabelled rows of no other kind:", found.in_words(words=words)]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.in_words()

    __repr__ = __str__
