"""What a cause says of a loss."""

from typing import NamedTuple


class Claim(NamedTuple):
    """A cause explains the messages of a loss: ``proof``, where nothing else can have taken them; else it fits all that is known."""

    proof: bool


PROOF, FIT = Claim(proof=True), Claim(proof=False)
