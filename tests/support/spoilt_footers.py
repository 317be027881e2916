"""Reads a landed file whose footer was spoilt, in many ways, and says which were skipped.

Run as a program, since pyarrow ends the process at some footers: ``spoilt_footers.py FILE SEED FIRST LAST`` prints a line for each way, its number and
"read" or "skipped".
"""

import struct
import sys
from pathlib import Path
from random import Random

from hopwatch_analysis.files.finding import find_landed

BEHIND_THE_FOOTER = 8


def spoilt(whole: bytes, chance: Random) -> bytes:
    """The file with up to three bytes of its footer changed."""
    ends = len(whole) - BEHIND_THE_FOOTER
    (length,) = struct.unpack("<I", whole[ends : ends + 4])
    held = bytearray(whole)
    for _ in range(chance.randint(1, 3)):
        held[chance.randrange(ends - length, ends)] = chance.randrange(256)
    return bytes(held)


def became_of(file: Path) -> str:
    found = find_landed([str(file.parents[3])])
    return "skipped" if [item.file for item in found.skipped] == [str(file)] else "read"


def main() -> None:
    file, seed = Path(sys.argv[1]), sys.argv[2]
    whole = file.read_bytes()
    for way in range(int(sys.argv[3]), int(sys.argv[4]) + 1):
        chance = Random(f"{seed} {way}")  # noqa: S311 -- the same each time
        file.write_bytes(spoilt(whole, chance))
        print(way, became_of(file), flush=True)
    file.write_bytes(whole)


if __name__ == "__main__":
    main()
