"""Rows that contradict themselves or each other, or say what is not known here: counted and named by file, and left out of the analysis.

What is true of them nobody can tell: a row without its key would fall out of every join unseen, one of an unknown role out of every
condition, and a range that ends before it begins would count as less than nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.overlapping_gaps import overlapping, without_overlapping
from hopwatch_analysis.files.schemas import COUNTERS, KINDS, VALUES
from hopwatch_analysis.spark.frames import together

FILE = "landed_file"
EXAMPLE_CHARACTERS = 300

NULL_KEY, UNKNOWN, NEGATIVE, REVERSED, TOO_MANY, OPENED_TWICE, OVERLAPPING, BEYOND_SENT = (
    "null_key",
    "unknown_value",
    "negative_count",
    "reversed_range",
    "more_than_numbered",
    "opened_twice",
    "overlapping_gaps",
    "more_than_sent",
)
MEANING = {
    NULL_KEY: "left out, for not saying of what or of when",
    UNKNOWN: "left out, for a role, state or action that this version of hopwatch does not know (a newer one may)",
    NEGATIVE: "left out, for counting less than nothing",
    REVERSED: "left out, for ranges that end before they begin",
    TOO_MANY: "left out, for counting more messages than there are numbers",
    OPENED_TWICE: "one socket id is of two sockets, of which the earlier one counts",
    OVERLAPPING: "left out, for gaps of one receiver that share numbers",
    BEYOND_SENT: "a receiver has messages beyond the last that their sender, by its own last word, sent, or lacks more than that leaves",
}

OF_A_SOCKET = ("at", "socket")
KEYS: Mapping[str, tuple[str, ...]] = dict.fromkeys(KINDS, ("at",)) | {
    "process": ("at", "process", "state"),
    "place": ("at", "process"),
    "socket": (*OF_A_SOCKET, "state"),
    "option": (*OF_A_SOCKET, "option"),
    "endpoint": (*OF_A_SOCKET, "action"),
    "subscription": (*OF_A_SOCKET, "action", "topic"),
    "connection": (*OF_A_SOCKET, "action"),
    "lane": (*OF_A_SOCKET, "stream", "lane", "role", "state"),
    "gap": (*OF_A_SOCKET, "stream", "lane", "action", "first", "last"),
    "onset": (*OF_A_SOCKET, "number"),
    "unroutable": OF_A_SOCKET,
    "counters": OF_A_SOCKET,
    "proxy": ("at", "proxy", "frontend", "backend"),
    "finding": (*OF_A_SOCKET, "rule"),
    "tcp": (*OF_A_SOCKET, "connection"),
    "usage": ("at", "process"),
    "memory": ("at", "cgroup"),
    "oom": ("at", "cgroup"),
}
NOT_COUNTED = ("pending_sends", "proxied_at")
COUNTS: Mapping[str, tuple[str, ...]] = {
    "process": ("events_lost",),
    "connection": ("sent", "received"),
    "lane": ("lane", "count", "frames", "since", "first", "next"),
    "gap": ("lane", "first", "last", "lost", "received"),
    "onset": ("number", "lane_number"),
    "unroutable": ("number", "lane_number", "messages"),
    "counters": tuple(name for name in COUNTERS if name not in NOT_COUNTED),
}
# a reading of a slot that is being written may be of two messages; a last word is not, but for the one that a killed process was at
LAST_WORD = "role = 'receive' and state = 'final' and count > 0 and next > 0"
BETWEEN_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "gap": {REVERSED: "first > last", TOO_MANY: "lost > last - first + 1"},
    "lane": {REVERSED: f"{LAST_WORD} and first >= next", TOO_MANY: f"{LAST_WORD} and count > next + 1"},
}


@dataclass(frozen=True)
class SetAside:
    """Rows that break a rule, and one of them; no ``file``: not those of one file alone."""

    file: str | None
    rule: str
    rows: int
    example: str


def contradictory(told: Mapping[str, DataFrame], path_of: Callable[[str], str]) -> tuple[SetAside, ...]:
    """What is wrong in rows that have their file with them (FILE), by file and rule: found in one job, whatever the kinds."""
    found = [_wrong(rows, kind) for kind, rows in told.items()]
    if "socket" in told:
        found.append(_opened_twice(told["socket"]))
    if "gap" in told:
        found.append(_overlapping(told["gap"]))
    if not found:
        return ()
    rows = (
        together(reduce(DataFrame.unionByName, found))
        .groupBy(FILE, "rule")
        .agg(sf.count("*").alias("rows"), sf.min("example").alias("example"))
        .orderBy(sf.desc("rows"), FILE, "rule")
        .collect()
    )
    return tuple(SetAside(path_of(row[FILE]), row["rule"], row["rows"], row["example"]) for row in rows)


def without_contradictory(rows: DataFrame, kind: str) -> DataFrame:
    """The rows that break no rule of their kind."""
    sound = rows.where(~_broken(kind))
    return without_overlapping(sound) if kind == "gap" else sound


def of_files(found: Iterable[SetAside]) -> set[str]:
    """The files that have such rows."""
    return {each.file for each in found if each.file is not None}


def _wrong(rows: DataFrame, kind: str) -> DataFrame:
    broken = [sf.when(condition, sf.lit(rule)) for rule, condition in _rules(kind)]
    return rows.where(_broken(kind)).select(FILE, sf.coalesce(*broken).alias("rule"), _example(rows))


def _opened_twice(rows: DataFrame) -> DataFrame:
    """Openings of one socket id by two processes, or as two types: none is more to be believed."""
    opened = rows.where("state = 'opened' and socket is not null")
    twice = (
        opened.groupBy("socket")
        .agg(sf.min(_who()).alias("one"), sf.max(_who()).alias("other"))
        .where("one != other")
        .select("socket")
    )
    found = opened.join(twice, on="socket", how="left_semi")
    return found.select(FILE, sf.lit(OPENED_TWICE).alias("rule"), _example(rows))


def _overlapping(rows: DataFrame) -> DataFrame:
    found = overlapping(rows.where(~_broken("gap")))
    return found.select(FILE, sf.lit(OVERLAPPING).alias("rule"), _example(rows))


def _who() -> Column:
    return sf.struct(*[sf.coalesce(name, sf.lit("")).alias(name) for name in ("host", "process", "type")])


def _broken(kind: str) -> Column:
    """Said so that footers tell of most files that they have no such row."""
    return sf.coalesce(reduce(Column.__or__, [condition for _, condition in _rules(kind)]), sf.lit(False))


def _rules(kind: str) -> list[tuple[str, Column]]:
    return [
        *((NULL_KEY, sf.col(name).isNull()) for name in KEYS[kind]),
        *((UNKNOWN, ~sf.col(name).isin(*known)) for name, known in VALUES.get(kind, {}).items()),
        *((NEGATIVE, sf.col(name) < 0) for name in COUNTS.get(kind, ())),
        *((rule, sf.expr(text)) for rule, text in BETWEEN_COLUMNS.get(kind, {}).items()),
    ]


def _example(rows: DataFrame) -> Column:
    told = sf.struct(*[name for name in rows.columns if name not in (FILE, "schema_version")])
    return sf.substring(sf.to_json(told), 1, EXAMPLE_CHARACTERS).alias("example")
