"""Journals that are wrong in every way: real ones, cut, spliced, reordered and filled with what nobody would write."""

import json
import os
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Files = dict[str, bytes]
"""Names without the process's id, as "0000.events", and what is in them."""

WORDS = [0, 1, 2, 7, 63, 64, 320, 4096, 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**63, 2**64 - 320, 2**64 - 1]
VALUES = [
    b"null", b"true", b"-1", b"0", b"1.5", b"1e999", b"NaN", b"-0", b"[]", b"{}", b'""', b'"\\ud800"', b'"\\u0000"', b'"\xff\xfe"', b'"\xed\xa0\x80"',
    b'"../../../etc/passwd"', b'"\\n\\u001b[31m"', b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"1" * 5000,
    b"[" * 2000 + b"]" * 2000, b'{"a":' * 500 + b"1" + b"}" * 500, b'"' + b"x" * 60_000 + b'"', b'"' + "é".encode() * 30_000 + b'"', b'"00000000000000a1"',
    b'[["00000000000000a1",0,1,2,3,4,5]]', b'{"sent":9223372036854775807}', b"[0,0]", b"[18446744073709551615,0]",
]  # fmt: skip


@dataclass(frozen=True)
class Corpus:
    """Journals to begin with, each the files of one process and its id."""

    journals: list[tuple[str, Files]]

    def pick(self, chance: random.Random, process: str) -> Files:
        """One of them, as the journal of another process."""
        owner, files = chance.choice(self.journals)
        return {name: _renamed(name, data, owner, process) for name, data in files.items()}


def corpus_of(directory: Path) -> Corpus:
    """Every journal of a directory."""
    journals: dict[str, Files] = {}
    for path in sorted(directory.iterdir()):
        process, _, rest = path.name.partition(".")
        journals.setdefault(process, {})[rest] = path.read_bytes()
    return Corpus(list(journals.items()))


def _renamed(name: str, data: bytes, owner: str, process: str) -> bytes:
    if name.endswith(".events"):
        return data.replace(owner.encode(), process.encode())
    if name.endswith(".counters"):
        return data[:16] + struct.pack("<Q", int(process, 16)) + data[24:]
    return data


def mutated(corpus: Corpus, chance: random.Random, process: str) -> Files:
    """A journal with one to six things wrong."""
    files = corpus.pick(chance, process)
    for _ in range(chance.randint(1, 6)):
        name = chance.choice(sorted(files) or ["0000.events"])
        if name.endswith(".events"):
            files[name] = chance.choice(_OF_EVENTS)(files.get(name, b""), chance, corpus)
        elif name.endswith(".counters"):
            files[name] = chance.choice(_OF_COUNTERS)(files[name], chance, corpus)
        if chance.random() < 0.1:
            chance.choice(_OF_FILES)(files, chance)
    return files


def write(directory: Path, process: str, files: Files) -> None:
    """The journal as files; some that should be regular are something else."""
    for name, data in files.items():
        path = directory / f"{process}.{name}"
        if data == b"link":
            path.symlink_to("/etc/passwd")
        elif data == b"folder":
            path.mkdir()
        elif data == b"pipe":
            os.mkfifo(path)
        else:
            path.write_bytes(data)


def _flip(data: bytes, chance: random.Random, _corpus: Corpus) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 20]) if data else 0):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(data: bytes, chance: random.Random, _corpus: Corpus) -> bytes:
    start = chance.choice([0, 0, chance.randint(0, len(data))])
    return data[start : chance.randint(start, len(data))]


def _splice(data: bytes, chance: random.Random, corpus: Corpus) -> bytes:
    _, files = chance.choice(corpus.journals)
    other = files[chance.choice(sorted(files))]
    at, start = chance.randint(0, len(data)), chance.randint(0, len(other))
    return data[:at] + other[start : start + chance.randint(0, 300)] + data[at + chance.choice([0, 0, 50]) :]


def _lines(data: bytes, chance: random.Random, _corpus: Corpus) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return b"\n" * 3
    at = chance.randrange(len(lines))
    what = chance.randrange(4)
    if what == 0:
        lines[at:at] = lines[at : at + 5] * chance.choice([1, 2, 40])
    elif what == 1:
        del lines[at : at + chance.randint(1, 5)]
    elif what == 2:
        chance.shuffle(lines)
    else:
        lines[at] = lines[at].rstrip(b"\n")
    return b"".join(lines)


def _value(data: bytes, chance: random.Random, _corpus: Corpus) -> bytes:
    """A line that is JSON still, as far as the new value is, with one value that it should not have."""
    lines = data.splitlines()
    at = chance.randrange(len(lines)) if lines else 0
    try:
        fields = json.loads(lines[at])
    except (ValueError, LookupError, RecursionError):
        return data
    if not isinstance(fields, dict) or not fields:
        return data
    name = chance.choice(sorted(fields))
    shown = [
        json.dumps(key).encode() + b":" + json.dumps(value).encode()
        for key, value in fields.items()
        if key != name
    ]
    lines[at] = b"{" + b",".join([*shown, json.dumps(name).encode() + b":" + chance.choice(VALUES)]) + b"}"
    return b"\n".join(lines) + b"\n"


def _word(data: bytes, chance: random.Random, _corpus: Corpus) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 3, 30])):
        # the header, the first slots, or anywhere
        end = chance.choice([96, 96, 4096 + 640, len(data)])
        at = chance.randrange(max(1, end // 8)) * 8
        if at + 8 <= len(changed):
            changed[at : at + 8] = struct.pack("<Q", chance.choice([*WORDS, chance.getrandbits(64)]))
    return bytes(changed)


def _grow(data: bytes, chance: random.Random, _corpus: Corpus) -> bytes:
    return data + chance.choice([b"\0", b"\xff", data[-300:]]) * chance.choice(
        [1, 1000, 70_000 // (1 + len(data[-300:]))]
    )


def _remove(files: Files, chance: random.Random) -> None:
    if files:
        del files[chance.choice(sorted(files))]


def _rename(files: Files, chance: random.Random) -> None:
    if files:
        new = chance.choice(
            [
                "0001.events",
                "0002.events",
                "0001.counters",
                "999999999999999999.events",
                "00000.events",
                "lock.new",
                "0000.counters.new",
            ]
        )
        files[new] = files.pop(chance.choice(sorted(files)))


def _irregular(files: Files, chance: random.Random) -> None:
    if files:
        files[chance.choice(sorted(files))] = chance.choice([b"link", b"folder", b"pipe"])


_OF_EVENTS: list[Callable[[bytes, random.Random, Corpus], bytes]] = [
    _flip,
    _cut,
    _splice,
    _lines,
    _value,
    _value,
    _value,
    _grow,
]
_OF_COUNTERS: list[Callable[[bytes, random.Random, Corpus], bytes]] = [
    _flip,
    _cut,
    _splice,
    _word,
    _word,
    _word,
    _grow,
]
_OF_FILES: list[Callable[[Files, random.Random], None]] = [_remove, _rename, _irregular]
