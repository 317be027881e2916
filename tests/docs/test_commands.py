"""Every command in the documents is run, in order, page by page, and says what its page says that it says."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import namespaces
import pytest
from agent_process import eventually
from documents import blocks_of, pages
from every_count import write_every_count
from followed_pages import SHELL, Followed, all_steps, follow, says
from journal_writer import JournalWriter
from lively_sockets import lively_sockets
from picked_values import never_told, of_all
from reader_terminals import Terminal

ANALYSIS_SECONDS = 900
"""Half a minute on a machine of its own, and many times that beside others."""
RUNBOOKS = "runbooks/"
NOTHING_TO_SAY = {"backlog.oldest_at_most"}
"""What is picked, and null of all that is watched here."""
NOT_RUN = {("start.md", "they run in an environment that has it installed."): 1}
WITH_COMMANDS = [
    page
    for page in pages()
    if any(b.language in (*SHELL, "python") and not b.not_run for b in blocks_of(page))
]
BY_THEMSELVES = [page for page in WITH_COMMANDS if not page.startswith(RUNBOOKS)]
LOSE_BY_THEIR_RATES = {"start.md", "recipes/bitcoin-core.md", "recipes/vllm.md"}
"""Pages that say of a loss what is true only where one program runs faster than another."""
START_MANY_PYTHONS = {
    "causes/refused.md",
    "recipes/asyncio-and-gevent.md",
    "recipes/jupyter.md",
    "recipes/pipelines.md",
    "recipes/proxies.md",
}
"""Pages whose commands take a core for five to eight seconds each."""
AT_ONCE = 3
needs_namespaces = pytest.mark.skipif(bool(namespaces.missing()), reason=str(namespaces.missing()))


@pytest.fixture(scope="module")
def followed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Followed]]]:
    """Each page, followed: some at once, as most of the time of each is waiting."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    own = [
        test for test in tests if test.originalname == test_the_commands_of_a_page_do_what_it_says.__name__
    ]
    chosen = [test.callspec.params["page"] for test in own]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            page: pool.submit(_follow_alone, page, tmp_path_factory.mktemp(page.replace("/", "-")))
            for page in chosen or BY_THEMSELVES
        }


def _follow_alone(page: str, folder: Path) -> Followed:
    """In a network of its own: pages use the ports that their readers use."""
    reader = folder / "reader"
    for part in (reader, folder / "run"):
        part.mkdir()
    with namespaces.lonely() as namespace:
        return follow(blocks_of(page), reader, environment(folder, page), namespaces.inside(namespace))


def marked(page: str) -> Any:
    """Return the page as a parameter."""
    by_rates = pytest.mark.extended("two programs' rates decide whether anything is lost")
    long = pytest.mark.extended("starts Python many times")
    marks = {**dict.fromkeys(START_MANY_PYTHONS, long), **dict.fromkeys(LOSE_BY_THEIR_RATES, by_rates)}
    return pytest.param(page, marks=[marks[page]] if page in marks else [])


@needs_namespaces
@pytest.mark.parametrize("page", [marked(page) for page in BY_THEMSELVES])
def test_the_commands_of_a_page_do_what_it_says(page: str, followed: dict[str, Future[Followed]]) -> None:
    followed[page].result()


def environment(folder: Path, page: str) -> dict[str, str]:
    """A reader's, with nothing set that hopwatch reads, but a host of its own."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HOPWATCH_", "OTEL_", "K8S_"))
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{plain['PATH']}"
    host = page.removesuffix(".md").replace("/", "-")
    return {
        **plain,
        "PATH": path,
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "HOPWATCH_HOST": host,
        "COLUMNS": "100",
    }


@dataclass(frozen=True)
class Watched:
    """A host with an agent at its usual place, and something of everything to tell."""

    folder: Path
    environment: dict[str, str]
    inside: list[str]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    journal = folder / "run" / "hopwatch"
    with ExitStack() as stack:
        inside = namespaces.inside(stack.enter_context(namespaces.lonely()))
        writer = stack.enter_context(closing(JournalWriter(journal)))
        write_every_count(writer)
        stack.enter_context(lively_sockets(journal, inside, waiting_bytes=200_000))
        its_environment = environment(folder, "watched")
        agent = Terminal(folder, its_environment, inside)
        stack.callback(agent.close)
        agent.begin("hopwatch agent --land landed --land-seconds 1")
        eventually(lambda: "hopwatch agent: http://127.0.0.1:8735" in agent.told, 60)
        eventually(lambda: any((folder / "landed").rglob("*.parquet")), 60)
        yield Watched(folder, its_environment, inside)


@needs_namespaces
@pytest.mark.parametrize("page", [page for page in WITH_COMMANDS if page.startswith(RUNBOOKS)])
def test_the_commands_of_a_runbook_are_answered_by_an_agent(page: str, watched: Watched) -> None:
    told = follow(blocks_of(page), watched.folder, watched.environment, watched.inside).told
    assert told
    for step, said in told:
        if " | jq " not in (step.command or ""):
            assert said.strip(), f"{step.block.place}: {step.command} says nothing"


@needs_namespaces
@pytest.mark.parametrize("page", [page for page in WITH_COMMANDS if page.startswith(RUNBOOKS)])
def test_what_a_runbook_picks_from_an_answer_is_in_it(page: str, watched: Watched) -> None:
    """Of all that there is: what it selects by is picked as well, as nothing here is as bad as what it looks for."""
    for step in all_steps(blocks_of(page)):
        if " | jq " in (step.command or ""):
            asked = [*watched.inside, "bash", "-o", "pipefail", "-c", of_all(step.command or "")]
            done = subprocess.run(asked, env=watched.environment, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), f"{step.block.place}: {step.command}"
            assert never_told(done.stdout) - NOTHING_TO_SAY == set(), f"{step.block.place}: {asked[-1]}"


@needs_namespaces
@pytest.mark.spark
@pytest.mark.extended("Spark in a process of its own, after all pages")
@pytest.mark.timeout(ANALYSIS_SECONDS)
def test_the_analyses_tell_what_the_pages_say(followed: dict[str, Future[Followed]], tmp_path: Path) -> None:
    """One analysis of what all pages landed takes as long as that of one."""
    done_with = [page.result() for page in followed.values()]
    folders = [folder for each in done_with for folder in each.folders]
    command = ["hopwatch", "analyze", *map(str, folders), "--out", str(tmp_path / "report")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wrong = [step for each in done_with for step in each.steps if not says(done.stdout, step)]
    told = [f"{step.block.place} says:\n" + "\n".join(step.said) for step in wrong]
    assert not wrong, "\n".join([*told, "--- and the analysis:", done.stdout])


def test_pages_that_are_marked_are_pages_with_commands() -> None:
    assert {*BY_THEMSELVES} >= LOSE_BY_THEIR_RATES


def test_every_block_of_commands_is_run_but_those_that_say_why_not() -> None:
    blocks = [block for page in pages() for block in blocks_of(page) if block.language in (*SHELL, "python")]
    assert len(all_steps(blocks)) > 10
    assert Counter((block.page, block.not_run) for block in blocks if block.not_run) == NOT_RUN
