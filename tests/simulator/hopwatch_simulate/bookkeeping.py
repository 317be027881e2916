"""Books as a report tells them, held against the true ones."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

Json = dict[str, Any]
NOTHING = {"lost": 0, "unexplained": 0}


def missing(told: Json) -> int:
    """How many messages a row says did not come and will not."""
    return int(told["lost"] + told["unexplained"])


def same_books(told: Json | None, true: Json) -> bool:
    """Whether what is missing adds up, as far as it shows yet; and of ends that were closed, what was delivered (of others the last second is not told)."""
    if told is None:
        return bool(true["sent"] == 0)
    settled = told["delivered"] == true["delivered"] and told["in_flight"] == true["in_flight"]
    adds_up = true["lost"] - true["unseen"] <= missing(told) <= true["lost"]
    return bool(adds_up and (settled or true["open"]))


def same_sums(stream: str, told: list[Json], true: list[Json]) -> bool:
    """Whether the books of a shared-out stream are true as a whole, where it is not told which receiver lost what."""
    rows = [row for row in told if row["stream"] == stream]
    lacking = sum(missing(row) for row in rows)
    delivered = sum(row["delivered"] for row in rows)
    return bool(
        lacking == sum(row["lost"] for row in true) and delivered == sum(row["delivered"] for row in true)
    )


def in_words(row: Json | None) -> str:
    if row is None:
        return "nothing"
    figures = (
        f"{name} {row[name]}"
        for name in ("sent", "delivered", "lost", "in_flight", "unexplained")
        if row.get(name)
    )
    return f"{row['name']} → {row['receiver_name']}: {', '.join(figures)}"


def is_bounded(true: Json) -> bool:
    """Whether the books of a row that cannot be told exactly can know what was lost at least."""
    return {*true["unknowable_by"]} == {"untraceable"}


def too_little(told: Json | None, true: Json) -> bool:
    """Whether the books have fewer messages that did not come than were lost, of a row that they cannot tell exactly.

    They need not have those of ends of which no event tells, nor what a receiver was owed when nothing counted it.
    """
    if told is None or not is_bounded(true):
        return False
    return bool(missing(told) + told["in_flight"] < true["lost"])


def too_much_of_nobody(
    told: dict[tuple[str, str | None], Json], true: list[Json]
) -> Iterator[tuple[list[Json], list[Json]]]:
    """The true and the told rows of streams of which no receiver in particular is said to lack more than all of them lost.

    Only of streams all of whose rows can be known: of others, what no row tells may well be missing.
    """
    for stream, rows in groupby(true, key=lambda row: str(row["stream"])):
        of_stream = list(rows)
        if missing(told.get((stream, None), NOTHING)) and all(row["knowable"] for row in of_stream):
            told_rows = [row for (told_stream, _), row in told.items() if told_stream == stream]
            if sum(map(missing, told_rows)) > sum(row["lost"] for row in of_stream):
                yield of_stream, told_rows
