"""The place that files land in: a folder or an object store. A file is there whole, or not at all."""

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, TypeVar

import pyarrow as pa
from pyarrow import fs

from hopwatch_agent.landing.address import NOWHERE, s3_address
from hopwatch_agent.landing.local_files import put_file, read_file, remove_file

T = TypeVar("T")

CONNECT_SECONDS = 5.0
SILENCE_SECONDS = 3.0
"""A request of which no byte moves for so long has failed; one that is never answered takes seven seconds more."""
ATTEMPTS = 1
"""Who lands tries again by itself, and pauses for longer each time."""


class Place(Protocol):
    """Files by their paths below the root. All raise ``OSError`` or what pyarrow raises."""

    def put(self, path: PurePosixPath, fill: Callable[[Any], T]) -> tuple[T, int]:
        """Makes a file of what ``fill`` writes into the sink it is given, in place of one of the same name.

        Gives what ``fill`` gave, and the file's size in bytes.
        """

    def read(self, path: PurePosixPath) -> pa.Buffer:
        """A file's contents."""

    def remove(self, path: PurePosixPath) -> None:
        """Removes a file that may be gone already."""


class LocalPlace:
    """A folder. One that another user may redirect is refused with ``PermissionError``."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, path: PurePosixPath, fill: Callable[[Any], T]) -> tuple[T, int]:
        """As ``Place`` says; what is there survives the loss of power."""
        return put_file(self._root / path, fill)

    def read(self, path: PurePosixPath) -> pa.Buffer:
        """As ``Place`` says."""
        return pa.py_buffer(read_file(self._root / path))

    def remove(self, path: PurePosixPath) -> None:
        """As ``Place`` says; also what a write that was cut off has left."""
        remove_file(self._root / path)


class RemotePlace:
    """An object store."""

    def __init__(self, filesystem: fs.FileSystem, root: str) -> None:
        self._filesystem = filesystem
        self._root = root

    def put(self, path: PurePosixPath, fill: Callable[[Any], T]) -> tuple[T, int]:
        """As ``Place`` says.

        The stream is opened when everything is at hand: pyarrow completes the object when a stream is
        closed, also by an exception half-way through.
        """
        sink = pa.BufferOutputStream()
        given = fill(sink)
        contents = sink.getvalue()
        with self._filesystem.open_output_stream(self._at(path)) as stream:
            stream.write(contents)
        return given, contents.size

    def read(self, path: PurePosixPath) -> pa.Buffer:
        """As ``Place`` says."""
        with self._filesystem.open_input_stream(self._at(path)) as stream:
            return stream.read_buffer()

    def remove(self, path: PurePosixPath) -> None:
        """As ``Place`` says."""
        try:
            self._filesystem.delete_file(self._at(path))
        except FileNotFoundError:
            return

    def _at(self, path: PurePosixPath) -> str:
        return f"{self._root}/{path}"


class Nowhere:
    """For who looks at an agent and analyses nothing: a folder of the agent's own would grow for ever."""

    def put(self, _path: PurePosixPath, fill: Callable[[Any], T]) -> tuple[T, int]:
        """Nothing is kept."""
        return fill(pa.MockOutputStream()), 0

    def read(self, path: PurePosixPath) -> pa.Buffer:
        """As ``Place`` says: there is no such file."""
        raise FileNotFoundError(path)

    def remove(self, _path: PurePosixPath) -> None:
        """There is nothing to remove."""


def open_place(uri: str) -> Place:
    """The place at a local path or a URI; raises what pyarrow raises, and ``SettingsError``."""
    if uri.startswith(NOWHERE):
        return Nowhere()
    filesystem, root = open_filesystem(uri)
    if isinstance(filesystem, fs.LocalFileSystem):
        return LocalPlace(Path(root))
    return RemotePlace(filesystem, root.rstrip("/"))


def open_filesystem(uri: str) -> tuple[fs.FileSystem, str]:
    """What pyarrow reads and writes a local path or a URI by, and the folder in it; raises as ``open_place`` does."""
    if "://" not in uri:
        return fs.LocalFileSystem(), str(Path(uri).absolute())
    if uri.startswith("s3://"):
        address = s3_address(uri, os.environ)
        return _s3(address.options), address.root
    filesystem, root = fs.FileSystem.from_uri(uri)
    return filesystem, root


def _s3(options: dict[str, str | bool]) -> fs.S3FileSystem:
    return fs.S3FileSystem(
        connect_timeout=CONNECT_SECONDS,
        request_timeout=SILENCE_SECONDS,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        # a small object is one request then, not three
        allow_delayed_open=True,
        **options,
    )
