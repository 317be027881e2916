"""The registry has each cause that a loss can have, in a file of its own, with one sentence that says what happened."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import hopwatch_judge
import pytest
from hopwatch_judge import CAUSES, NOBODY, Brief, Cause, advice, evidence, meaning
from plain_incidents import BURST

ROOT = Path(hopwatch_judge.__file__).parent
NAMES = [cause.name for cause in CAUSES]
DESIGNED = {
    "slow_receiver",
    "hwm_too_low",
    "network",
    "reconnect",
    "slow_joiner",
    "unroutable",
    "closed",
    "receiver_died",
    "sender_died",
    "conflated",
    "oversize",
}
"""Not ``handshake_failed`` and ``routing_id_taken``: of these there are findings only, as yet."""


def test_each_cause_is_registered_once_and_has_a_file() -> None:
    files = {path.stem for path in (ROOT / "causes").glob("*.py")} - {"__init__", "registry"}
    assert sorted(NAMES) == sorted(DESIGNED) == sorted(files)


@pytest.mark.parametrize("cause", CAUSES, ids=NAMES)
def test_a_meaning_is_one_plain_sentence(cause: Cause) -> None:
    assert re.fullmatch(r"[A-Z][^.{}]+\.", cause.meaning)


@pytest.mark.parametrize(
    "order",
    [
        ("oversize", "reconnect", "conflated", "slow_receiver"),
        ("network", "hwm_too_low", "slow_receiver"),
        ("slow_receiver", "slow_joiner", "closed"),
        ("reconnect", "sender_died"),
        ("reconnect", "receiver_died"),
    ],
)
def test_what_is_more_special_comes_before_what_it_is_a_case_of(order: tuple[str, ...]) -> None:
    assert list(order) == sorted(order, key=NAMES.index)


@pytest.mark.parametrize("cause", NAMES)
def test_an_incident_of_any_cause_has_evidence_advice_and_a_meaning(cause: str) -> None:
    incident = replace(BURST, cause=cause)
    assert evidence(incident)[0]["kind"] == "missing"
    assert all(item["text"] for item in evidence(incident))
    assert advice(incident)
    assert meaning(incident)


@pytest.mark.parametrize("cause", NAMES)
def test_below_a_heading_the_brief_labels_tell_who_is_meant(cause: str) -> None:
    long = replace(BURST, cause=cause, sender="a (pid 1)", receiver="b (pid 2)", stream_labels=("a (pid 1)",))
    told = replace(long, brief=Brief("a", "b", ("a",)))
    for said in (evidence, advice, meaning):
        assert "pid" not in str(said(told))


@pytest.mark.parametrize(("lost", "words"), [(1, "it"), (2, "them")])
def test_a_meaning_counts_its_messages(lost: int, words: str) -> None:
    incident = replace(BURST, cause="receiver_died", lost=lost)
    assert meaning(incident) == f"desk ended before it had read {words}"


def test_a_mean_rate_that_is_kept_up_with_is_part_of_the_meaning() -> None:
    assert meaning(BURST) == "the pipe was full in bursts only; desk keeps up with the mean rate"
    assert meaning(replace(BURST, capacity=None)).endswith("desk had caught up in between")


def test_a_linger_of_0_is_part_of_the_meaning() -> None:
    closed = replace(BURST, cause="closed", sender_end="closed")
    assert meaning(closed) == "a socket was closed with these messages still unread"
    assert meaning(replace(closed, linger=0)).startswith("feed was closed with LINGER 0, which throws away")


def test_nobody_is_no_receiver_that_could_read_first() -> None:
    (first, _) = advice(replace(BURST, cause="closed", receiver=NOBODY))
    assert first == "Nobody was connected to feed: check its endpoint, and whether its peer runs."


def test_the_standard_library_is_enough() -> None:
    modules = sorted(
        ".".join(path.relative_to(ROOT.parent).with_suffix("").parts) for path in ROOT.rglob("*.py")
    )
    program = f"import sys; sys.path.insert(0, {str(ROOT.parent)!r}); import {', '.join(modules)}"
    assert subprocess.run([sys.executable, "-I", "-S", "-B", "-c", program], check=False).returncode == 0
