"""The pages of causes are of the causes that there are, and quote reports in the words of today's code."""

import re

import pytest
from documents import DOCS, blocks_of, text_of
from hopwatch_judge import CAUSES
from told_incidents import recorded, told

WITHOUT_INCIDENTS = {"refused", "unexplained"}
"""A finding, and what has no cause."""
MEANING = {cause.name: cause.meaning for cause in CAUSES}
PAGES = sorted(MEANING.keys() | WITHOUT_INCIDENTS)
PARTS = ["How it looks", "How it is told", "What to do", "What looks like it"]
NEVER_EXACT = "Always **inferred**"


def test_each_cause_has_a_page_and_each_page_a_cause() -> None:
    assert sorted(path.stem for path in (DOCS / "causes").glob("*.md")) == sorted([*PAGES, "index"])
    rows = re.findall(r"^\| \[(\w+)\]\(\1\.md\) \| ([^|]*) \|", text_of("causes/index.md"), re.MULTILINE)
    assert sorted(cause for cause, _ in rows) == PAGES
    assert {cause: text for cause, text in rows if cause in MEANING} == MEANING


@pytest.mark.parametrize("cause", PAGES)
def test_a_page_says_how_it_looks_how_it_is_told_what_to_do_and_what_looks_like_it(cause: str) -> None:
    text = text_of(f"causes/{cause}.md")
    assert text.startswith(f"# {cause}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == PARTS
    lookalikes = text.partition("## What looks like it")[2]
    assert re.search(r"\*\*|\]\(|^- ", lookalikes, re.MULTILINE)


@pytest.mark.parametrize("cause", sorted(MEANING))
def test_a_page_quotes_real_reports_word_for_word(cause: str) -> None:
    quoted = [block.text for block in blocks_of(f"causes/{cause}.md") if block.language == "text"]
    assert quoted == [told(incident) + "\n" for incident in recorded() if incident.cause == cause]


def test_a_page_says_exact_of_those_causes_alone_that_can_be() -> None:
    table = (
        text_of("../analysis/README.md").partition("## Which causes can be `exact`")[2].partition("\n## ")[0]
    )
    (never,) = re.findall(r"^\| (.*) \| never: ", table, re.MULTILINE)
    told_never = {cause for cause in MEANING if NEVER_EXACT in text_of(f"causes/{cause}.md")}
    assert told_never == set(re.findall(r"`(\w+)`", never))
    assert {incident.cause for incident in recorded() if incident.exact} & told_never == set()
