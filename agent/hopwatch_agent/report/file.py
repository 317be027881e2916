"""The file itself: in a folder or an object store, looked at again and again, and read when it is another one."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from hopwatch.errors import HopwatchError
from hopwatch.ownership import foreign_owner
from pyarrow import fs

from hopwatch_agent.errors import NoReportError, ReportError
from hopwatch_agent.landing.address import without_secret
from hopwatch_agent.landing.place import open_filesystem
from hopwatch_agent.landing.reasons import told_without_secrets
from hopwatch_agent.report.address import check_report_address

NAME = "report.json"
LOOK_SECONDS = 1.0
STORE_LOOK_SECONDS = 15.0
"""How often it is looked for in an object store: each time is a request."""
LARGEST_REPORT = 32 * 1024 * 1024
"""Bytes: that is some thousands of hops with as many incidents; reading them takes several times as much memory."""


@dataclass(frozen=True)
class Mark:
    """What tells one version of the file from another; ``written_at``: when it was written."""

    identity: tuple[int, ...]
    written_at: datetime
    size: int


class _Source(Protocol):
    def mark(self) -> Mark: ...

    def read(self, limit: int) -> bytes: ...


class ReportFile:
    """The report of one analysis. Used by one thread."""

    def __init__(self, uri: str) -> None:
        """``uri``: the folder that the analysis writes to, or one in an object store. Raises ``SettingsError``."""
        check_report_address(uri)
        self._uri = uri
        self._source: _Source | None = None
        base, question, query = without_secret(uri).partition("?")
        self.shown = f"{base.rstrip('/')}/{NAME}{question}{query}"

    @property
    def look_seconds(self) -> float:
        """How often it is worth a look."""
        return STORE_LOOK_SECONDS if isinstance(self._source, _StoredFile) else LOOK_SECONDS

    def mark(self) -> Mark:
        """Of what is there now. Raises ``ReportError``."""
        with self._told():
            return self._opened().mark()

    def read(self, mark: Mark) -> bytes:
        """All of what has that mark. Raises ``ReportError``, also where it is larger than ``LARGEST_REPORT``."""
        if mark.size > LARGEST_REPORT:
            raise ReportError(f"it has {mark.size:,} bytes, and {LARGEST_REPORT:,} at most are read")
        with self._told():
            text = self._opened().read(LARGEST_REPORT + 1)
        if len(text) > LARGEST_REPORT:
            raise ReportError(f"it grows while it is read, beyond {LARGEST_REPORT:,} bytes")
        return text

    def _opened(self) -> _Source:
        if self._source is None:
            filesystem, root = open_filesystem(self._uri)
            path = f"{root.rstrip('/')}/{NAME}"
            local = isinstance(filesystem, fs.LocalFileSystem)
            self._source = _LocalFile(Path(path)) if local else _StoredFile(filesystem, path)
        return self._source

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except HopwatchError:
            raise
        except FileNotFoundError as error:
            raise NoReportError("there is no such file") from error
        except (OSError, pa.ArrowException, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise ReportError(told_without_secrets(reason, self._uri)) from error


class _LocalFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def mark(self) -> Mark:
        problem = foreign_owner(self._path)
        if problem is not None:
            raise ReportError(problem)
        found = self._path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ReportError("it is no regular file")
        identity = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)
        return Mark(identity, datetime.fromtimestamp(found.st_mtime, timezone.utc), found.st_size)

    def read(self, limit: int) -> bytes:
        # a pipe in its place must not hold up who reads
        descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(limit)


class _StoredFile:
    def __init__(self, filesystem: fs.FileSystem, path: str) -> None:
        self._filesystem = filesystem
        self._path = path

    def mark(self) -> Mark:
        found = self._filesystem.get_file_info(self._path)
        if found.type == fs.FileType.NotFound:
            raise FileNotFoundError(self._path)
        return Mark((found.mtime_ns or 0, found.size or 0), found.mtime, found.size or 0)

    def read(self, limit: int) -> bytes:
        with self._filesystem.open_input_stream(self._path) as stream:
            return bytes(stream.read(limit))
