"""Which files are new since the last turn, however agents have merged them meanwhile."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from hopwatch_analysis.files.merged import block_range
from hopwatch_analysis.files.reading import LandedFile


@dataclass(frozen=True)
class Arrivals:
    """Files that are known, and those that are ``new``; of these, ``grown`` are known ones merged with further ones.

    ``removed``: known ones are gone, and no merged file has their rows.
    """

    old: tuple[LandedFile, ...]
    new: tuple[LandedFile, ...]
    grown: frozenset[LandedFile]
    removed: bool

    def reach_back_to(self, cut: datetime) -> datetime | None:
        """The earliest moment before ``cut`` that new files tell of. Agents land in order: what is grown, grew at its end."""
        earlier = [file.earliest for file in self.new if file not in self.grown and file.earliest]
        return min((at for at in earlier if at < cut), default=None)


def arrivals(files: Iterable[LandedFile], known: frozenset[str]) -> Arrivals:
    """``known`` are paths of files that were read before; a file merged of them alone is no new one."""
    firsts: dict[tuple[str, str], set[int]] = defaultdict(set)
    lasts: dict[tuple[str, str], set[int]] = defaultdict(set)
    for path in known:
        found = block_range(path)
        if found:
            firsts[found.of].add(found.first)
            lasts[found.of].add(found.last)
    old, new, grown = [], [], []
    for file in files:
        found = block_range(file.path)
        begins_known = found is not None and found.first in firsts[found.of]
        if file.path in known or (begins_known and found is not None and found.last in lasts[found.of]):
            old.append(file)
        else:
            new.append(file)
            if begins_known:
                grown.append(file)
    return Arrivals(tuple(old), tuple(new), frozenset(grown), _some_removed(known, old, new))


def _some_removed(known: frozenset[str], old: list[LandedFile], new: list[LandedFile]) -> bool:
    here = {file.path for file in (*old, *new)}
    merged = defaultdict(list)
    for found in filter(None, map(block_range, here)):
        merged[found.of].append(found)

    def is_within_another(path: str) -> bool:
        part = block_range(path)
        return part is not None and any(
            whole.first <= part.first and part.last <= whole.last for whole in merged[part.of]
        )

    return not all(is_within_another(path) for path in known - here)
