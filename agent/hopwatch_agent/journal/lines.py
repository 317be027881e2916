"""Journal lines to records."""

from typing import Annotated, get_args
from urllib.parse import quote

import msgspec

from hopwatch_agent.errors import ForeignFormatError, UnreadableLineError
from hopwatch_agent.records import FORMAT, INT64_MAX, AnyEvent, Int64, Segment, Standing

# a folder is named after the escaped host, and file systems allow a name 255 bytes
_ESCAPED_HOST_LIMIT = 240


class _Format(msgspec.Struct):
    event: str
    format: Int64


class Envelope(msgspec.Struct, frozen=True):
    """All that is known of an event of a kind that this agent does not know."""

    event: str
    n: Annotated[int, msgspec.Meta(ge=1, le=INT64_MAX)]


# msgspec lets the error of invalid UTF-8 through as it is
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_format = msgspec.json.Decoder(_Format)
_segment = msgspec.json.Decoder(Segment)
_event: msgspec.json.Decoder[AnyEvent | Standing] = msgspec.json.Decoder(AnyEvent | Standing)
_envelope = msgspec.json.Decoder(Envelope)
_KNOWN = frozenset(
    config.tag
    for member in get_args(AnyEvent | Standing)
    if isinstance((config := member.__struct_config__).tag, str)
)


def escaped_host(host: str) -> str:
    """The host as one part of a path."""
    return quote(host, safe="")


def read_segment_line(line: bytes, process: str, index: int) -> Segment:
    """The first line of a segment; raises ``ForeignFormatError`` and ``UnreadableLineError``."""
    try:
        head = _format.decode(line)
        if head.event != "segment":
            raise UnreadableLineError("the first line of a segment says whose it is; this one does not")
        if head.format != FORMAT:
            raise ForeignFormatError(f"journal format {head.format}, this agent reads format {FORMAT}")
        segment = _segment.decode(line)
    except _UNREADABLE as error:
        raise UnreadableLineError(f"not a segment line: {error}") from error
    if (segment.process, segment.index) != (process, index):
        raise UnreadableLineError(f"the segment line is of process {segment.process}, index {segment.index}")
    if len(escaped_host(segment.host)) > _ESCAPED_HOST_LIMIT:
        raise UnreadableLineError("the host's name is too long")
    return segment


def read_event(line: bytes) -> AnyEvent | Standing | Envelope:
    """One event, the end of a head, or the envelope of an unknown event.

    Raises ``UnreadableLineError``.
    """
    try:
        return _event.decode(line)
    except _UNREADABLE as error:
        envelope = _unknown(line)
        if envelope is None:
            raise UnreadableLineError(str(error)) from error
        return envelope


def _unknown(line: bytes) -> Envelope | None:
    try:
        envelope = _envelope.decode(line)
    except _UNREADABLE:
        return None
    return None if envelope.event in _KNOWN else envelope
