"""Arguments that take some of a few words."""

import argparse
from dataclasses import dataclass


@dataclass(frozen=True)
class WordsByComma:
    """An argument's type: one or more of these, by comma."""

    known: tuple[str, ...]

    def __call__(self, text: str) -> tuple[str, ...]:
        """Raises what argparse takes for wrong usage."""
        words = tuple(word.strip() for word in text.split(","))
        unknown = [word for word in words if word not in self.known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(self.known)}")
        return words
