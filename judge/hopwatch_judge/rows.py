"""Cases from rows, and rows from verdicts: the records of both, as JSON objects with a field each.

What is not known is left out of a row: it is None where a record may have that, and else what the record has by default.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, get_args, get_type_hints

from hopwatch_judge.case import Case, Down, Hop, Lane, Link, Receipt, Socket, Totals, Way
from hopwatch_judge.events import (
    Accepted,
    Counted,
    Gap,
    Onset,
    Progress,
    Read,
    Reading,
    Subscribed,
    Swallowed,
)
from hopwatch_judge.judge import Verdict

RECORDS: Mapping[str, Callable[..., Any]] = {
    "sockets": Socket,
    "links": Link,
    "ways": Way,
    "lanes": Lane,
    "receipts": Receipt,
    "totals": Totals,
    "gaps": Gap,
    "onsets": Onset,
    "progress": Progress,
    "reads": Read,
    "counted": Counted,
    "subscribed": Subscribed,
    "swallowed": Swallowed,
    "readings": Reading,
    "accepted": Accepted,
}
"""What rows of each kind are; a case's other kinds are "case", "not_checked" and "unknown_downs"."""
NESTED: Mapping[str, Callable[..., Any]] = {
    "downs": Down,
    "former_downs": Down,
    "hang_ups": Down,
    "hops": Hop,
}

Row = dict[str, Any]


class Told(NamedTuple):
    """A row of a verdict: which kind of record it is, and its fields as JSON."""

    kind: str
    row: str


def case_of(rows: Iterable[tuple[str, str]]) -> Case:
    """The case of which these are all rows, by kind and JSON."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for kind, row in rows:
        texts[kind].append(row)
    read: defaultdict[str, list[Row]] = defaultdict(list)
    for kind, of_kind in texts.items():
        read[kind] = json.loads(f"[{','.join(of_kind)}]")
    (own,) = read["case"]
    told = {kind: tuple(_records(kind, read[kind])) for kind in RECORDS}
    several = {kind: told[kind] for kind in told.keys() - {"sockets", "links", "totals"}}
    return Case(
        ends_at=own["ends_at"],
        guard=own["guard"],
        sockets={socket.id: socket for socket in told["sockets"]},
        links={link.edge: link for link in told["links"]},
        totals={each.socket: each for each in told["totals"]},
        not_checked=frozenset((row["stream"], row["receiver"], row["lane"]) for row in read["not_checked"]),
        unknown_downs={row["sender"]: _nested(Down, row["downs"]) for row in read["unknown_downs"]},
        window=frozenset(own["window"]),
        unreadable=own["unreadable"],
        **several,
    )


def rows_of(verdict: Verdict) -> Iterator[Told]:
    """The verdict as rows: accounts, delivered, passed, pressure, overloads, beyond_sent, unknown_full."""
    for kind in ("accounts", "delivered", "passed", "overloads", "beyond_sent", "unknown_full"):
        for record in getattr(verdict, kind):
            yield Told(kind, json.dumps(record._asdict()))
    for edge in verdict.pressure.keys() | verdict.sent_on.keys():
        yield Told("pressure", json.dumps(_rates(verdict, edge)))


def _rates(verdict: Verdict, edge: tuple[str, str, str]) -> Row:
    pressure = verdict.pressure.get(edge)
    rates = (
        {} if pressure is None else {name: getattr(pressure, name) for name in pressure.__dataclass_fields__}
    )
    return {
        **dict(zip(("stream", "from_socket", "to_socket"), edge, strict=True)),
        **rates,
        "sent_on": verdict.sent_on.get(edge),
    }


def _records(kind: str, rows: Iterable[Row]) -> Iterator[Any]:
    record = RECORDS[kind]
    unknown, known = _unknown(record), get_type_hints(record).keys()
    nested = NESTED.keys() & known
    for row in rows:
        fields = row if len(row) == len(known) else {**unknown, **row}
        for name in nested:
            fields[name] = _nested(NESTED[name], fields.get(name) or ())
        yield record(**fields)


def _unknown(record: Callable[..., Any]) -> Row:
    """The fields of a record that may be None."""
    return {name: None for name, hint in get_type_hints(record).items() if type(None) in get_args(hint)}


def _nested(record: Callable[..., Any], rows: Iterable[Row]) -> tuple[Any, ...]:
    unknown = _unknown(record)
    return tuple(record(**{**unknown, **row}) for row in rows)
