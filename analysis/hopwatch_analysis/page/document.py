"""The page: what it shows, filled into its templates. It fetches nothing, and runs no script but its own."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from hopwatch_judge import advice, evidence, meaning
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from hopwatch_analysis.files.contradictions import MEANING
from hopwatch_analysis.page import charts, wording
from hopwatch_analysis.page.graph import graph_of
from hopwatch_analysis.page.picture import BOX_WIDTH, picture_of
from hopwatch_analysis.report.records import Analysis, LedgerRow
from hopwatch_analysis.report.remarks import agreement, behind_remark, clock_remarks, remark, what_to_do
from hopwatch_analysis.report.summary import TERMS
from hopwatch_analysis.report.unexplained import receiver_called
from hopwatch_analysis.report.verdict import headline, of_unwatched, span

TEMPLATES = Path(__file__).with_name("templates")
MOST_ROWS = 5000
"""Of each table; more would make the page slow, and all are in report.json."""

OPEN_INCIDENTS = 5
FEW_CHARTS = 6
"""As many are shown whether or not anything was lost on their hops."""

Item = TypeVar("Item")


def page(analysis: Analysis) -> str:
    """The page as HTML."""
    style, script = (_source(name) for name in ("page.css", "page.js"))
    graph = graph_of(analysis.hops)
    first_incident = {item.hop: number for number, item in reversed(list(enumerate(analysis.incidents)))}
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            analysis=analysis,
            headline=headline(analysis),
            state=_state(analysis),
            policy=_policy(style, script),
            style=style,
            script=script,
            graph=graph,
            picture=picture_of(graph),
            box_width=BOX_WIDTH,
            first_incident=first_incident,
            charts=_charts(analysis),
            step=charts.width_of(analysis.timeline.buckets) if analysis.timeline else "",
            ledger=_rows(
                sorted(analysis.ledger, key=_missing) if _too_many(analysis.ledger) else analysis.ledger
            ),
            totals={name: sum(getattr(row, name) for row in analysis.ledger) for name in TERMS},
            lost=sum(hop.lost for hop in analysis.hops),
            lossy=sum(1 for hop in analysis.hops if hop.lost),
            hops=_rows(analysis.hops),
            unwatched=of_unwatched(analysis),
            to_check=dict.fromkeys(text for text in map(what_to_do, analysis.unchecked) if text),
            received_streams={row.stream for row in analysis.ledger if row.receiver},
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=wording.legible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": wording.number,
        "moment": wording.moment,
        "shortened": wording.shortened,
        "rate": charts.rate,
    }
    environment.globals |= {
        "several": wording.several,
        "percent": wording.percent,
        "severity": wording.severity,
        "span": span,
        "meaning": meaning,
        "evidence": evidence,
        "advice": advice,
        "remark": remark,
        "agreement": agreement,
        "behind_remark": behind_remark,
        "clock_remarks": clock_remarks,
        "contradictions": MEANING,
        "receiver_called": receiver_called,
        "OPEN_INCIDENTS": OPEN_INCIDENTS,
        "MOST_ROWS": MOST_ROWS,
        "TALLEST": charts.TALLEST,
        "BASELINES": charts.BASELINES,
        "FEW_CHARTS": FEW_CHARTS,
        "ticks": charts.ticks,
    }
    return environment


def _source(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing may be fetched, and nothing may run or style but these very texts."""
    allowed = {"style-src": style, "script-src": script}
    rules = [f"{rule} '{_digest(text)}'" for rule, text in allowed.items()]
    return "; ".join(["default-src 'none'", *rules, "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _state(analysis: Analysis) -> str:
    """As the headline says: "lost", "unsure" or "sound"."""
    if any(hop.lost for hop in analysis.hops):
        return "lost"
    return "sound" if headline(analysis).startswith("NOTHING LOST") else "unsure"


def _charts(analysis: Analysis) -> list[charts.Chart]:
    if analysis.timeline is None:
        return []
    return [charts.chart_of(history, analysis.timeline.buckets) for history in analysis.timeline.hops]


def _rows(rows: Sequence[Item]) -> Sequence[Item]:
    return rows[:MOST_ROWS]


def _too_many(rows: Sequence[Item]) -> bool:
    return len(rows) > MOST_ROWS


def _missing(row: LedgerRow) -> int:
    return -row.lost - row.unexplained
