"""report.html: what it shows, that it escapes all that comes from events, and that it fetches nothing."""

import re
from dataclasses import replace

import pytest
from hopwatch_analysis.page import page
from hopwatch_analysis.page.document import MOST_ROWS
from hopwatch_analysis.report.records import Analysis, Fault, Finding, LostEvents
from hopwatch_analysis.report.report_json import report
from page_reader import Element, read_page
from report_records import NOON, analysis_of, fleet, hop, node, nothing_checked, row, three_hops

HOSTILE = "</script></title><img src=x onerror=\"document.title='caught'\">'{{ 7 * 7 }}"
TURNED = "slow\u202egnp.exe\x07"
ANALYSES = {
    "3 hops": three_hops,
    "300 hops": fleet,
    "300 hops, most of them lossy": lambda: fleet(lossy=280),
    "no loss": lambda: three_hops(lost=0),
    "nothing checked": nothing_checked,
    "nothing at all": lambda: Analysis(None, None, (), (), (), ()),
}


def shown(analysis: Analysis) -> Element:
    return read_page(page(analysis))


def hostile(name: str) -> Analysis:
    """Everything that an event may name is called so."""
    sender, receiver = node(name, "PUB", name), node(f"{name} 2", "SUB", name)
    found = analysis_of([hop(sender, receiver, lost=9)], [row(name, f"{name} 2", lost=9)])
    return replace(
        found,
        incidents=tuple(replace(one, stream_labels=(name,)) for one in found.incidents),
        findings=(Finding("a1", name, name, name, name),),
        skipped=((name, name),),
        faults=(Fault(NOON, name, name, None, name),),
        fault_count=1,
        lost_events=(LostEvents(name, name, name, 2),),
        unchecked=tuple(replace(one, label=name, name=name) for one in nothing_checked().unchecked),
    )


@pytest.mark.parametrize("make", ANALYSES.values(), ids=ANALYSES)
def test_it_refers_to_nothing_outside_itself(make: type[Analysis]) -> None:
    text = page(make())
    document = read_page(text)
    links = [
        value
        for element in document.all()
        for name, value in element.attributes.items()
        if name in ("src", "href", "srcset", "action", "data", "poster", "xlink:href", "background")
    ]
    assert {value[:1] for value in links if value} <= {"#"}
    assert document.all("link") == document.all("img") == document.all("iframe") == []
    assert set(re.findall(r"url\((.)", text)) <= {"#"}
    assert "@import" not in text


@pytest.mark.parametrize("make", ANALYSES.values(), ids=ANALYSES)
def test_every_link_leads_somewhere(make: type[Analysis]) -> None:
    document = shown(make())
    ids = [element.attributes["id"] for element in document.all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    targets = {element.attributes["href"] for element in document.all("a")}
    assert targets <= {f"#{id_}" for id_ in ids}


def test_its_policy_allows_its_own_script_and_style_alone() -> None:
    policy = shown(three_hops()).all("meta")[1].attributes["content"] or ""
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert {name: value[:8] for name, value in rules.items() if value != "'none'"} == {
        "style-src": "'sha256-",
        "script-src": "'sha256-",
    }
    assert "unsafe" not in policy


@pytest.mark.parametrize("make", ANALYSES.values(), ids=ANALYSES)
def test_it_shows_every_figure_of_the_ledger(make: type[Analysis]) -> None:
    analysis = make()
    expected = [
        [
            item["name"],
            item["receiver_name"],
            *(f"{item[name]:,}" for name in ("sent", "delivered", "lost", "in_flight", "unexplained")),
            "".join(f"{count:,} {cause}" for cause, count in sorted(item["causes"].items())),
        ]
        for item in report(analysis, ())["ledger"]
    ]
    tables = shown(analysis).one("section", id="ledger").all("table")
    assert [table.rows() for table in tables] == ([expected] if expected else [])


@pytest.mark.parametrize("make", ANALYSES.values(), ids=ANALYSES)
def test_it_shows_every_incident_with_all_its_evidence_and_advice(make: type[Analysis]) -> None:
    analysis = make()
    found = shown(analysis).one("section", id="incidents").all("details")
    told = list(report(analysis, analysis.incidents)["incidents"])
    assert len(found) == len(told)
    for element, item in zip(found, told, strict=True):
        summary = element.one("summary").text
        first, last = (item[name][:19].replace("T", " ") for name in ("started_at", "ended_at"))
        for words in (
            item["hop"],
            f"{item['lost']:,} message",
            item["cause"],
            item["certainty"],
            first,
            last[11:],
        ):
            assert words in summary
        texts = [one.text for one in element.all("li")]
        assert texts == [
            " ".join(text.split()) for text in [*(one["text"] for one in item["evidence"]), *item["advice"]]
        ]


def test_hops_that_are_not_drawn_are_counted_and_all_are_in_the_table() -> None:
    document = shown(fleet())
    topology = document.one("section", id="topology")
    drawn = [way.all("text")[0].text for way in topology.all("a", class_="way")]
    assert len(drawn) <= 40
    assert sum(1 for text in drawn if " lost (" in text) == 12
    folded = [re.findall("none lost on ([0-9]+) hops", text) for text in drawn]
    assert sum(int(count) for found in folded for count in found) + 13 == 300
    assert "Of 300 hops, those that lost most are drawn" in topology.text
    assert len(document.one("section", id="hops").one("table").rows()) == 300


def test_no_hop_is_told_by_its_colour_alone() -> None:
    ways = shown(three_hops()).one("section", id="topology").all("a", class_="way")
    assert [way.all("text")[0].text for way in ways] == [
        "7,500 lost (62 %)",
        "12,000 passed",
        "12,000 passed",
    ]
    lossy, sound = ways[0], ways[1]
    assert lossy.all("path", class_="heavy")
    assert sound.all("path", class_="sound")


def test_the_timeline_tells_how_many_hops_it_leaves_out() -> None:
    timeline = shown(fleet()).one("section", id="timeline")
    assert len(timeline.all("figure")) == 40
    assert "260 other hops lost less, or nothing." in timeline.text


def test_a_chart_says_in_words_what_it_draws() -> None:
    chart = shown(three_hops()).one("section", id="timeline").all("figure")[0]
    said = chart.all("svg")[0].attributes["aria-label"] or ""
    assert said.startswith(
        "proxy → slow: 7,500 messages lost between 12:00:00 and 12:00:51; 34 onsets; 1 reconn"
    )
    assert sum(map(int, (chart.attributes["data-lost"] or "").split())) == 7500


def test_what_was_not_checked_and_what_could_not_be_read_is_told() -> None:
    document = shown(nothing_checked())
    assert document.one("h1").text.endswith(
        "No message could be checked for losses: 100 sent and 90 received is all that is known."
    )
    unchecked = document.one("section", id="unchecked").text
    assert "sent without stamps; 100 messages sent, 90 received: 10 are missing at most" in unchecked
    assert "To check it: Wrap both ends" in unchecked
    told = document.one("section", id="input").text
    assert "/landed/kind=gap/x.parquet : no readable Parquet file: too short" in told.replace(
        ".parquet:", ".parquet :"
    )
    assert "python app.py on box: 4 events, of which 3 could not be read" in told
    assert "2 more faults" in told
    assert "losses may be missing or misplaced" in told


@pytest.mark.parametrize(("lost", "state"), [(7500, "lost"), (0, "sound")])
def test_the_verdict_comes_first_and_with_a_mark(lost: int, state: str) -> None:
    verdict = shown(three_hops(lost)).one("h1")
    assert verdict.attributes["class"] == f"verdict {state}"
    assert verdict.text[:2] == {"lost": "✕L", "sound": "✓N"}[state]


def test_names_from_events_make_no_element_and_no_expression() -> None:
    document = shown(hostile(HOSTILE))
    usual = {element.tag for element in shown(three_hops()).all()} | {"article", "code"}
    assert {element.tag for element in document.all()} <= usual
    assert len(document.all("script")) == 1
    assert all(not name.startswith("on") for element in document.all() for name in element.attributes)
    for section in ("topology", "timeline", "incidents", "ledger", "hops", "findings", "unchecked", "input"):
        assert HOSTILE in document.one("section", id=section).text


def test_characters_that_turn_text_around_are_shown_as_what_they_are() -> None:
    text = page(hostile(TURNED))
    assert "\u202e" not in text
    assert "\x07" not in text
    assert "slow\\u202egnp.exe\\u0007" in text


def test_of_a_long_ledger_the_rows_with_losses_are_shown() -> None:
    rows = [row("quotes", f"desk-{number}") for number in range(MOST_ROWS + 7)]
    rows[-1] = row("quotes", "slow", lost=3)
    section = shown(analysis_of([], rows)).one("section", id="ledger")
    found = section.one("table").rows()
    assert len(found) == MOST_ROWS
    assert found[0][1] == "slow"
    assert "7 other rows with less or nothing missing" in section.text


def test_who_has_a_reader_that_nobody_watches_is_among_what_was_not_checked() -> None:
    bare = Finding("a1", "quotes", "reader_not_watched", "quotes has a bare reader.", "Wrap it.")
    document = shown(replace(three_hops(lost=0), findings=(bare,)))
    (section,) = (item for item in document.all("section") if item.attributes.get("id") == "unchecked")
    assert "quotes has a bare reader." in section.text
    assert "Nothing was left out" not in section.text
