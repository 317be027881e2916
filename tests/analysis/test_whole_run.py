"""One run of ``hopwatch analyze --follow --once``: restarted processes, damaged files, incidents, timeline."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from pathlib import Path

import pytest
from agent_process import eventually
from analyze_command import DEADLINE, analyze, marked_processes
from feed_story import feed_that_outlives_a_reader
from landed_folder import PAST, LandedFolder, at, id_of
from landed_steps import landed_incidents
from spoilt_pages import damage
from stories import Json, bursts, slow_and_fast, worker_cut_off_and_back

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

UNNAMED = f"sub-{id_of('unnamed')[:6]}"
OF_DAMAGED = {
    "whole-reader": (10, 0),
    "torn-reader": (0, 10),
    "cup of tea": (0, 10),
    "cup of milk": (0, 10),
    "cup of cocoa": (10, 0),
}
"""Messages lost and unexplained, by receiver."""


def restarted(story: LandedFolder) -> None:
    """The subscriber is killed and started again, then the publisher is; one more has a name that nobody gave."""
    lives = (
        ("src-1", "PUB", 0, 40),
        ("disp-1", "SUB", 0, 10),
        ("disp-2", "SUB", 12, None),
        ("src-2", "PUB", 42, None),
    )
    for pid, (life, type_, opened, killed) in enumerate(lives, start=101):
        story.socket(life, type_, opened=opened, closed=None if killed else 60, called=life[:-2])
        story.process(f"process of {life}", "started", opened, pid=pid)
        if killed:
            story.killed(life, killed)
    story.socket("unnamed", "SUB", opened=42, closed=60, called=UNNAMED)
    story.process("process of unnamed", "started", 42, pid=105)
    for sub in ("disp-1", "disp-2", "unnamed"):
        story.subscribe(sub, "")
    story.link("src-1", "disp-1", down=10, sent=0)
    story.link("src-1", "disp-2", up=12, down=40, sent=120)
    story.link("src-2", "disp-2", up=42.1)
    story.link("src-2", "unnamed", up=42.1)
    story.sent("src-1", 400, 40, final=False)
    story.got("disp-1", "src-1", 90, 0, 89, 9.9, final=False)
    story.got("disp-2", "src-1", 270, 120, 389, 45)
    story.sent("src-2", 100, 55)
    story.got("disp-2", "src-2", 100, 0, 99, 55)
    story.got("unnamed", "src-2", 100, 0, 99, 55)


def through_a_proxy(story: LandedFolder, proxy: str, *names: str) -> None:
    """Streams of hosts of their own, each to a reader of its topic, all through one proxy; each reader lacks the end."""
    front, back = f"{proxy}-in", f"{proxy}-out"
    story.socket(front, "XSUB", closed=70)
    story.socket(back, "XPUB", closed=70, probed=False)
    story.proxy(proxy, front, back)
    for name in names:
        cup = f"cup of {name}"
        story.socket(name, "PUB", host=f"of-{name}", closed=50)
        story.socket(cup, "SUB", closed=60)
        story.subscribe(cup, name)
        story.link(front, name)
        story.link(back, cup)
        story.sent(name, 100, 40, topic=name)
        story.got(cup, name, 90, 0, 89, 45)
    story.counters(front, 69, final=True, proxied_in_frames=200 * len(names))


def told_by_damaged_files(story: LandedFolder) -> None:
    """Two of each pattern: one of them on a host whose files get damaged."""
    for host in ("whole", "torn"):
        pub, sub = f"{host}-quotes", f"{host}-reader"
        story.socket(pub, "PUB", closed=50)
        story.socket(sub, "SUB", host=host, closed=60)
        story.subscribe(sub, "")
        story.link(pub, sub)
        story.sent(pub, 100, 40)
        story.got(sub, pub, 90, 0, 89, 45)
    story.socket("jobs", "PUSH", closed=50)
    for pull, host, killed in (("first", "whole", 30.0), ("second", "torn", None)):
        story.socket(pull, "PULL", host=host, closed=None if killed else 60)
        story.link("jobs", pull, down=killed)
        story.got(pull, "jobs", 40, 0, 99, 29 if killed else 45, final=not killed)
    story.sent("jobs", 100, 40)
    story.killed("first", 30)
    through_a_proxy(story, "pot", "tea", "milk")
    through_a_proxy(story, "urn", "cocoa")
    story.socket("lone", "PUSH", host="torn", closed=50, linger=0)
    story.watched("lone")
    story.sent("lone", 5, 40)
    for name, host in (("plain", "whole"), ("untold", "torn")):
        story.bare_socket(name, "PUB", host=host, closed=50)
        story.counters(name, 49, final=True, sent=7)


def damage_some(landed: Path) -> Path:
    """Add three files that are no Parquet, and a damaged copy of a fourth; return the copy."""
    for file in ("kind=lane/*/host=torn", "kind=connection/*/host=of-milk", "kind=process/*/host=whole"):
        sound = next(landed.glob(f"{file}/*.parquet"))
        usage = sound.relative_to(landed).parts[1:]
        torn = sound if "whole" not in file else landed.joinpath("kind=usage", *usage)
        torn.parent.mkdir(parents=True, exist_ok=True)
        torn.with_name("batch-2.parquet").write_bytes(b"hello")
    connected = next(landed.glob("kind=connection/*/host=torn/*.parquet"))
    extra = connected.with_name("batch-2.parquet")
    extra.write_bytes(connected.read_bytes())
    damage(extra, "remote")
    return extra


@dataclass(frozen=True)
class Run:
    """A run that ended, the mark of its processes, one damaged file, and its report."""

    ended: subprocess.CompletedProcess[str]
    mark: Path
    damaged: Path
    report: Json


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    story = feed_that_outlives_a_reader(until=150)
    for tell in (restarted, told_by_damaged_files, slow_and_fast, bursts, worker_cut_off_and_back):
        tell(story)
    mark = tmp_path_factory.mktemp("run")
    landed = story.write(mark / "landed")
    damaged = damage_some(landed)
    ended = analyze(mark, landed, "--follow", "--once", "--out", mark / "out", TZ="Asia/Kolkata")
    assert ended.returncode == 0, ended.stderr
    return Run(ended, mark, damaged, json.loads((mark / "out" / "report.json").read_text()))


@pytest.fixture
def report(run: Run) -> Json:
    return run.report


def test_it_says_nothing_but_what_it_does_and_leaves_no_java_process(run: Run) -> None:
    lines = run.ended.stderr.splitlines()
    assert [line for line in lines if not line.startswith("hopwatch analyze: ")] == []
    # processes that Java started take a moment to end
    eventually(lambda: not marked_processes(run.mark), DEADLINE)


def test_restarted_processes_are_told_apart(run: Run) -> None:
    old, new = "src (pid 101, opened 12:00:00)", "src (pid 104, opened 12:00:42)"
    first, second = "disp (pid 102, opened 12:00:00)", "disp (pid 103, opened 12:00:12)"
    unnamed = f"{UNNAMED} (pid 105, process of unnamed)"
    hops = [hop for hop in run.report["hops"] if hop["from"]["name"] == "src"]
    labels = {f"{old} → {first}", f"{old} → {second}", f"{new} → {second}", f"{new} → {unnamed}"}
    assert {hop["hop"] for hop in hops} == labels
    assert {hop["to"]["name"] for hop in hops} == {"disp", UNNAMED}
    told = run.ended.stdout
    assert f"\n{second}, from {new}, lost nothing: 100 of 100 delivered.\n" in told
    assert f"\n{unnamed}, from {new}, lost nothing: 100 of 100 delivered.\n" in told
    beginning = f"{old} → {second}: 10 messages lost\n  When:    2026-05-04 12:00:"
    (lost,) = (part for part in told.split("\n\n") if part.startswith(beginning))
    assert "  Why:     sender_died (exact): " in lost


def test_incidents_have_landed_once_though_a_sender_goes_on(run: Run) -> None:
    landed = landed_incidents(run.mark / "out")
    about = itemgetter("cause", "certainty", "lost")
    assert sorted(map(about, landed)) == sorted(map(about, run.report["incidents"]))
    (gone,) = (row for row in landed if row["hop"] == "feed → gone")
    assert (gone["cause"], gone["lost"]) == ("receiver_died", 30)


def test_times_are_told_in_utc_wherever_it_runs(report: Json) -> None:
    assert {item["started_at"][:14] for item in report["incidents"]} == {"2026-05-04T12:"}


def test_damaged_files_are_named(run: Run) -> None:
    assert len(run.report["skipped_files"]) == 4
    lines = run.ended.stderr.splitlines()
    assert any(str(run.damaged) in line and "damaged" in line for line in lines)


def test_what_damaged_files_may_have_told_to_have_come_is_not_said_to_be_lost(report: Json) -> None:
    reasons = {row["name"]: row["reason"] for row in report["not_checked"]}
    assert reasons == {"plain": "unstamped", "untold": "unreadable"}
    shared_out = [row for row in report["ledger"] if row["name"] == "jobs"]
    assert (sum(row["lost"] for row in shared_out), sum(row["unexplained"] for row in shared_out)) == (0, 20)
    books = {row["receiver_name"]: (row["lost"], row["unexplained"]) for row in report["ledger"]}
    assert {name: books[name] for name in OF_DAMAGED} == OF_DAMAGED
    (lone,) = (row for row in report["ledger"] if row["name"] == "lone")
    assert (lone["receiver_name"], lone["lost"], lone["unexplained"]) == (None, 0, 5)


def test_only_of_what_sound_files_tell_is_the_hop_named(report: Json) -> None:
    senders = {"whole-quotes", "torn-quotes", "jobs", "tea", "milk", "cocoa", "pot", "urn", "lone"}
    lossy = {item["hop"] for item in report["incidents"] if item["hop"].split(" → ")[0] in senders}
    assert lossy == {"whole-quotes → whole-reader", "urn → cup of cocoa"}


def timeline(report: Json, label: str) -> Json:
    return next(item for item in report["timeline"]["hops"] if item["hop"] == label)


def bucket(report: Json, seconds: float) -> int:
    """Which of the timeline's buckets a time of the stories is in."""
    begins = datetime.fromisoformat(report["timeline"]["from"].replace("Z", "+00:00"))
    return int((at(seconds, PAST) - begins).total_seconds() // report["timeline"]["bucket_seconds"])


def counted(buckets: Sequence[int]) -> dict[int, int]:
    """Return the buckets that hold something, with how much that is."""
    return {number: count for number, count in enumerate(buckets) if count}


def test_a_loss_stands_where_its_messages_were_sent(report: Json) -> None:
    bursty = timeline(report, "bursty → pursuer")
    assert counted(bursty["lost"]) == {bucket(report, 15): 500}
    assert counted(bursty["onsets"]) == {bucket(report, 15): 1}
    # 100 sent from the 2nd second to the 4th, 50 in the 10th, 50 in the last
    parts = ((2, 50), (4, 50), (10, 50), (19, 25), (20, 25))
    slow = {bucket(report, seconds): 0 for seconds, _ in parts}
    for seconds, lost in parts:
        slow[bucket(report, seconds)] += lost
    assert counted(timeline(report, "quotes → sluggish")["lost"]) == slow


def test_rates_come_from_what_the_ends_counted(report: Json) -> None:
    bursty = timeline(report, "bursty → pursuer")
    assert (sum(bursty["sent"]), sum(bursty["received"])) == (4000, 3500)
    first, later = bucket(report, 5), bucket(report, 15)
    assert bursty["sent"][first] == 500  # all of it: nobody counted before
    since_then = 1600 if bucket(report, 16) == later else 1000  # by the last that it counted in that bucket
    assert set(bursty["sent"][first + 1 : later]) == {since_then // (later - first)}
    assert timeline(report, "parts → wobbly")["sent"] is None


def test_a_connection_that_came_back_is_in_the_timeline(report: Json) -> None:
    assert counted(timeline(report, "parts → wobbly")["reconnects"]) == {bucket(report, 20): 1}
