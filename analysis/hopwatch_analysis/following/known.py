"""Which files are new since the last turn, however agents have merged them meanwhile."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from hopwatch_analysis.files.landed import LandedFile
from hopwatch_analysis.files.merged import BlockRange, block_range


@dataclass(frozen=True)
class Arrivals:
    """Files that are known, and those that are ``new``; of these, ``grown`` are known ones merged with further ones.

    ``gone`` are paths of known ones that are not here, and no merged file has their rows; ``removed``: some of them were here
    the last time. ``returned`` are known ones that were not.
    """

    old: tuple[LandedFile, ...]
    new: tuple[LandedFile, ...]
    grown: frozenset[LandedFile]
    gone: frozenset[str]
    removed: bool
    returned: tuple[LandedFile, ...]

    @property
    def any_came(self) -> bool:
        return bool(self.new or self.returned)

    @property
    def old_ones_differ(self) -> bool:
        """Not the same known files are here as the last time."""
        return self.removed or bool(self.returned)

    def reach_back_to(self, cut: datetime) -> datetime | None:
        """The earliest moment before ``cut`` that new files tell of, or ones that are back. Agents land in order: what is grown, grew at its end."""
        came = [*(file for file in self.new if file not in self.grown), *self.returned]
        return min((file.earliest for file in came if file.earliest and file.earliest < cut), default=None)


def arrivals(
    files: Iterable[LandedFile], known: frozenset[str], away: frozenset[str] = frozenset()
) -> Arrivals:
    """``known`` are paths of files that were read before, ``away`` those of them that were not here the last time. A file merged
    of known ones alone is no new one, nor is a part of one.
    """
    parts = _ranges(known)
    firsts = {of: {part.first for part in ranges} for of, ranges in parts.items()}
    lasts = {of: {part.last for part in ranges} for of, ranges in parts.items()}
    old, new, grown = [], [], []
    for file in files:
        found = block_range(file.path)
        begins_known = found is not None and found.first in firsts.get(found.of, ())
        merged = begins_known and found is not None and found.last in lasts.get(found.of, ())
        if file.path in known or merged or _is_within(file.path, parts):
            old.append(file)
        else:
            new.append(file)
            if begins_known:
                grown.append(file)
    here = frozenset(file.path for file in (*old, *new))
    gone = _without_rows(known - here, here)
    back = away - gone
    parts_back = _ranges(back)
    returned = [file for file in old if file.path in back or _holds_some(file.path, parts_back)]
    return Arrivals(tuple(old), tuple(new), frozenset(grown), gone, bool(gone - away), tuple(returned))


def still_missed(gone: Iterable[str], here: Iterable[str]) -> frozenset[str]:
    """The files that may come back: not those of days before the first of which their host has any. Old days are removed for good."""
    first: dict[str, str] = {}
    for host, day in filter(None, map(_host_and_day, here)):
        first[host] = min(day, first.get(host, day))

    def is_missed(path: str) -> bool:
        found = _host_and_day(path)
        return found is None or found[1] >= first.get(found[0], "")

    return frozenset(filter(is_missed, gone))


def _host_and_day(path: str) -> tuple[str, str] | None:
    named = dict(part.split("=", 1) for part in PurePosixPath(path).parts if "=" in part)
    return (named["host"], named["date"]) if {"host", "date"} <= named.keys() else None


def _ranges(paths: Iterable[str]) -> Mapping[tuple[str, str], list[BlockRange]]:
    """Of each folder and database."""
    ranges: dict[tuple[str, str], list[BlockRange]] = defaultdict(list)
    for found in filter(None, map(block_range, paths)):
        ranges[found.of].append(found)
    return ranges


def _is_within(path: str, ranges: Mapping[tuple[str, str], list[BlockRange]]) -> bool:
    part = block_range(path)
    return part is not None and any(
        whole.first <= part.first and part.last <= whole.last for whole in ranges.get(part.of, ())
    )


def _holds_some(path: str, ranges: Mapping[tuple[str, str], list[BlockRange]]) -> bool:
    whole = block_range(path)
    return whole is not None and any(
        whole.first <= part.first and part.last <= whole.last for part in ranges.get(whole.of, ())
    )


def _without_rows(paths: Iterable[str], here: Iterable[str]) -> frozenset[str]:
    """Those of which no file that is here has the rows."""
    ranges = _ranges(here)
    return frozenset(path for path in paths if not _is_within(path, ranges))
