"""Where files lie, as pyarrow takes it and as Spark takes it."""

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from pyarrow import fs

from hopwatch_analysis.files.schemas import KINDS

SPARK_SCHEMES = {"file": "", "s3": "s3a://", "gs": "gs://"}


def parsed(uri: str) -> tuple[fs.FileSystem, str, str]:
    """The file system, the folder's name in it, and what Spark wants before that.

    Raises OSError or pyarrow.ArrowInvalid if there is no such place.
    """
    if "://" not in uri:
        return fs.LocalFileSystem(), str(Path(uri).resolve()), ""
    system, root = fs.FileSystem.from_uri(uri)
    scheme = uri.split("://", 1)[0]
    return system, root, SPARK_SCHEMES.get(scheme, f"{scheme}://")


def place_of(uri: str) -> str:
    """The folder's whole path, or its URI as Spark takes it: without credentials."""
    _, root, prefix = parsed(uri)
    return prefix + root


def to_read(path: str) -> str:
    """The path of a folder or file for Spark to read: it takes every path for a pattern, and one without a scheme for a cluster's."""
    literal = re.sub(r"([\\\[\]{}*?])", r"\\\1", path)
    return literal if "://" in path else f"file://{literal}"


BESIDES = frozenset({"usage", "memory", "oom", "place"})
"""Kinds that only add to what is told of a loss. Without any other, what came looks lost, or a loss looks to be of another hop or cause."""


def host_of(file: str) -> str | None:
    """The host whose agent landed a file, as its path says."""
    return next((unquote(part[5:]) for part in file.split("/") if part.startswith("host=")), None)


def hosts_of(files: Iterable[str]) -> frozenset[str]:
    """The hosts of landed files, but of kinds that only add to what is told, by their paths (``.../kind=K/date=D/host=H/NAME``)."""
    found = set()
    for file in files:
        told = dict(part.split("=", 1) for part in PurePosixPath(file).parts if "=" in part)
        if told.get("kind") in KINDS.keys() - BESIDES and "host" in told:
            found.add(unquote(told["host"]))
    return frozenset(found)
