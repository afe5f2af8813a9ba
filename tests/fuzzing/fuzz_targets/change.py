"""Changes to inputs that every target can use: pieces of bytes put in, taken out, doubled, or moved."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

__all__ = ["spliced"]

LONG = 2000


def spliced(data: bytes, pieces: Sequence[bytes], rng: Random) -> bytes:
    """Change one place: put a piece in, overwrite with one, take bytes out, repeat some, or flip a bit."""
    start = rng.randint(0, len(data))
    end = min(len(data), start + rng.choice([1, 1, 2, 5, 20]))
    piece = rng.choice(pieces)
    match rng.randrange(6):
        case 0:
            return data[:start] + piece + data[start:]
        case 1:
            return data[:start] + piece + data[end:]
        case 2:
            return data[:start] + data[end:]
        case 3:
            return data[:start] + data[start:end] * rng.choice([2, 3, LONG]) + data[end:]
        case 4:
            other = rng.randint(0, len(data))
            return data[:start] + data[other : other + 20] + data[start:]
        case _:
            flipped = bytes([data[start] ^ 1 << rng.randrange(8)]) if start < len(data) else b""
            return data[:start] + flipped + data[start + 1 :]
