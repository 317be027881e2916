"""``hopwatch completion``: real shells on real terminals, with TAB pressed."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from console_command import hopwatch
from preloaded import HOPWATCH
from terminal import Terminal, on_terminal

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(hopwatch completion bash)"'),
    "zsh": (["zsh", "-f", "-i"], 'autoload -Uz compinit; compinit -D -u; eval "$(hopwatch completion zsh)"'),
    "fish": (["fish", "--no-config", "-i"], "hopwatch completion fish | source"),
}
AGENTS = "https://box-7.example:9001, https://box-8.example"
TAB = "\t"
FORGET = "\x15"  # Ctrl-U: what is typed so far


@contextmanager
def completing(name: str, folder: Path, agents: str) -> Iterator[Terminal]:
    """A shell in that folder which has read its script."""
    command, reading = SHELLS[name]
    variables = {
        "PATH": os.pathsep.join([str(HOPWATCH.parent), os.environ["PATH"]]),
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "HOPWATCH_AGENTS": agents,
        "PS1": "ready> ",
    }
    with on_terminal(command, columns=120, variables=variables) as shown:
        shown.press(f"cd {folder}; {reading}; echo the-script-$(hopwatch --version | tr ' ' -)\n")
        shown.becomes(lambda screen: "\nthe-script-hopwatch-" in screen, what="the script")
        yield shown


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """One that has a folder and a file before it."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    folder = tmp_path_factory.mktemp("home")
    (folder / "landed-here").mkdir()
    (folder / "secret-token").touch()
    with completing(request.param, folder, AGENTS) as shown:
        yield shown


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("hopwatch sta", "hopwatch status"),
        ("hopwatch status --tok", "hopwatch status --token-file"),
        ("hopwatch status --token-file sec", "hopwatch status --token-file secret-token"),
        ("hopwatch agent --max-so", "hopwatch agent --max-sockets"),
        ("hopwatch agent --dir lan", "hopwatch agent --dir landed-here/"),
        ("hopwatch analyze lan", "hopwatch analyze landed-here/"),
        ("hopwatch analyze landed-here --mas", "hopwatch analyze landed-here --master"),
        ("hopwatch run --sequence bit", "hopwatch run --sequence bitcoin_core"),
        ("hopwatch status --fail-on pre", "hopwatch status --fail-on pressed"),
        ("hopwatch completion zs", "hopwatch completion zsh"),
        ("hopwatch status --agent https://box-7", "hopwatch status --agent https://box-7.example:9001"),
        ("hopwatch status --json --agent https://box-7.example:9", "--agent https://box-7.example:9001"),
        ("hopwatch status --agent http:", "hopwatch status --agent http://127.0.0.1:8735"),
    ],
)
def test_what_tab_completes(shell: Terminal, typed: str, completed: str) -> None:
    shell.press(f"{typed}{TAB}")
    shell.becomes(lambda screen: _last(screen).rstrip("/").endswith(completed.rstrip("/")), what=completed)
    shell.press(FORGET)
    shell.becomes(lambda screen: "hopwatch" not in _last(screen), what="an empty line")


def _last(screen: str) -> str:
    return (screen.rstrip().splitlines() or [""])[-1].rstrip()


def test_what_stands_in_the_variable_is_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "run"
    with completing("bash", tmp_path, f"http://$(touch {mark})`touch {mark}`") as shown:
        shown.press(f"hopwatch status --agent http://127{TAB}")
        shown.becomes(lambda screen: _last(screen).endswith("http://127.0.0.1:8735"), what="an agent")
    assert not mark.exists()


def test_a_shell_that_is_not_known_is_wrong_usage() -> None:
    run = hopwatch("completion", "csh")
    assert run.returncode == 2
    assert "bash" in run.stderr


@pytest.mark.parametrize("shell_name", SHELLS)
def test_the_script_knows_every_command(shell_name: str) -> None:
    run = hopwatch("completion", shell_name)
    assert (run.returncode, run.stderr) == (0, "")
    for command in ("agent", "analyze", "completion", "demo", "injector", "run", "status", "top"):
        assert command in run.stdout
