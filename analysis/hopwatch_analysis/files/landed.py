"""What was found under the folders that agents landed files in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pyarrow import fs

from hopwatch_analysis.files.contradictions import SetAside, of_files
from hopwatch_analysis.files.places import host_of, hosts_of


@dataclass(frozen=True)
class SkippedFile:
    """A file that was left out, and what is wrong with it: its bytes, or, if not ``lasting``, that the system did not give them this time.
    ``landed``: its name is that of one which an agent landed.
    """

    file: str
    reason: str
    lasting: bool = True
    landed: bool = True


@dataclass(frozen=True)
class ListedFile:
    """A file as it was listed: ``path`` is Spark's, ``name`` its name within ``system``. Written anew, it is another one."""

    path: str
    name: str
    system: fs.FileSystem = field(compare=False)
    size: int = 0
    mtime_ns: int | None = None


@dataclass(frozen=True)
class LandedFile:
    """A file that can be used: ``path`` is Spark's, ``name`` its name within ``system``.

    ``earliest`` and ``latest`` bound its rows' times, where known.
    """

    path: str
    kind: str
    system: fs.FileSystem = field(compare=False)
    name: str
    rows: int
    earliest: datetime | None = None
    latest: datetime | None = None

    @property
    def host(self) -> str:
        """The host whose agent landed it, as its path says."""
        return host_of(self.name) or ""


@dataclass(frozen=True)
class Landed:
    """What was found under the given folders."""

    files: tuple[LandedFile, ...]
    skipped: tuple[SkippedFile, ...]
    set_aside: tuple[SetAside, ...] = ()
    """Rows of the files that can be used which contradict each other; known once they are loaded."""

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)

    @property
    def unreadable_hosts(self) -> frozenset[str]:
        """Hosts of files that were left out or of which rows were, of kinds without which a loss is not what it looks like."""
        unread = {skipped.file for skipped in self.skipped if skipped.landed}
        return hosts_of(unread | of_files(self.set_aside))

    @property
    def earliest(self) -> datetime | None:
        return min((file.earliest for file in self.files if file.earliest), default=None)

    @property
    def latest(self) -> datetime | None:
        return self.latest_by({})

    def latest_by(self, ahead: Mapping[str, float]) -> datetime | None:
        """The newest time, by a clock that those of these hosts are so many seconds ahead of."""
        return max(self.heard_until(ahead).values(), default=None)

    def heard_until(self, ahead: Mapping[str, float]) -> dict[str, datetime]:
        """The newest time that each host told of, by that clock."""
        newest: dict[str, datetime] = {}
        for file in self.files:
            if file.latest:
                newest[file.host] = max(file.latest, newest.get(file.host, file.latest))
        return {host: at - timedelta(seconds=ahead.get(host, 0)) for host, at in newest.items()}
