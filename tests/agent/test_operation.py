"""An agent where production puts it: any user, nothing that can be written but its own folders, no capability."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess, eventually
from journal_writer import JournalWriter
from preloaded import HOPWATCH, run_to_end

USER = 54321
SOCKET = "00000000000000a1"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_database_is_for_nobody_else_even_if_a_mask_lets_everybody_read(agent: AgentProcess) -> None:
    agent.data.mkdir(mode=0o755)
    (agent.data / "agent.sqlite3").touch(mode=0o644)
    agent.start()
    eventually(lambda: agent.get("/v1/status")["ready"])
    files = [path for path in agent.data.iterdir() if path.is_file()]
    assert {path.name for path in files} >= {"agent.sqlite3", "agent.sqlite3-wal", "agent.lock"}
    assert {mode_of(path) for path in files} == {0o600}


def test_a_database_that_is_a_link_is_refused(agent: AgentProcess, tmp_path: Path) -> None:
    agent.data.mkdir()
    (agent.data / "agent.sqlite3").symlink_to(tmp_path / "elsewhere")
    out, errors = agent.launch().communicate(timeout=120)
    assert (out, errors.count("\n")) == ("", 1)
    assert "agent.sqlite3" in errors
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("mode", "text"),
    [(0o700, None), (0o750, "its group can list it"), (0o777, "its group and every user can add, change")],
)
def test_a_journal_directory_that_is_too_open_is_told(
    agent: AgentProcess, mode: int, text: str | None
) -> None:
    agent.journal.chmod(mode)
    agent.start()
    eventually(lambda: agent.get("/v1/status")["costs"]["cpu_seconds"])
    warnings = {told["source"]: told["text"] for told in agent.get("/v1/status")["warnings"]}
    if text is None:
        assert "journal directory" not in warnings
    else:
        assert text in warnings["journal directory"]
        assert f"{mode:04o}, not 0700" in warnings["journal directory"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach."""
    folder = Path("/var/tmp") / f"hopwatch-{os.getpid()}"  # noqa: S108
    folder.mkdir(mode=0o755)
    yield folder
    shutil.rmtree(folder)


_WITHIN = f"""
set -e
prefix=$1 own=$2; shift 2
case $prefix in /root/*)  # where another user cannot go
    mkdir -p "$own/hold"; mount --bind "$prefix" "$own/hold"
    mount -t tmpfs -o mode=755 tmpfs /root; mkdir -p "$prefix"; mount --bind "$own/hold" "$prefix";;
esac
for place in /tmp /var/tmp; do mount --bind "$place" "$place"; mount -o remount,bind,ro "$place"; done
mount --bind "$own/out" "$own/out"; mount -o remount,bind,rw "$own/out"
mount -o remount,bind,ro /
exec setpriv --reuid {USER} --regid {USER} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
"""


@pytest.fixture
def confined(open_folder: Path) -> list[str]:
    """The command that runs another one as a user without a name, with nothing to write but ``out``."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None or shutil.which("unshare") is None:
        pytest.skip("needs root, setpriv and unshare")
    (open_folder / "out").mkdir(mode=0o700)
    os.chown(open_folder / "out", USER, USER)
    command = ["unshare", "--mount", "sh", "-c", _WITHIN, "sh", sys.base_prefix, str(open_folder)]
    tried = subprocess.run(
        [*command, sys.executable, "-c", "import hopwatch_api"], capture_output=True, check=False
    )
    if tried.returncode:
        pytest.skip(f"another user cannot run what is tested: {tried.stderr.decode()}")
    return command


def test_any_user_with_no_name_no_home_no_capability_and_a_read_only_root(
    confined: list[str], open_folder: Path
) -> None:
    own = open_folder / "out"
    writer = JournalWriter(own / "journal", lock=False)
    writer.opened(SOCKET)
    for path in (own / "journal", *(own / "journal").iterdir()):
        os.chown(path, USER, USER)
    agent = AgentProcess(own, {name: os.environ.get(name, "") for name in ("PATH", "PYTHONPATH")})
    agent.before = confined
    agent.start()
    try:
        eventually(lambda: agent.get("/v1/sockets"))
        assert agent.process is not None
        told = Path(f"/proc/{agent.process.pid}/status").read_text()
        assert f"Uid:\t{USER}\t{USER}\t{USER}\t{USER}" in told
        assert "CapBnd:\t0000000000000000" in told
        mounts = [line.split() for line in Path(f"/proc/{agent.process.pid}/mounts").read_text().splitlines()]
        assert all("ro" in mount[3].split(",") for mount in mounts if mount[1] in {"/", "/tmp", "/var/tmp"})  # noqa: S108
        assert agent.get("/v1/status")["costs"]["rss_bytes"] > 10_000_000
        eventually(lambda: agent.get("/v1/status")["rows_landed"])
        assert agent.get("/v1/status")["errors"] == []
    finally:
        ended = agent.terminate()
    assert ended == (0, "")
    assert [row["state"] for row in agent.rows("socket")] == ["opened"]


def test_an_application_that_can_write_nowhere_goes_on_all_the_same(confined: list[str]) -> None:
    program = (
        "import hopwatch, zmq; s = hopwatch.wrap(zmq.Context().socket(zmq.PUB)); s.send(b'x'); s.close()"
    )
    environ = {name: os.environ.get(name, "") for name in ("PATH", "PYTHONPATH")}
    done = subprocess.run(
        [*confined, sys.executable, "-c", program],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) <= 1


def test_check_names_everything_that_is_wrong_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("short")
    settings = {
        "DATA": str(tmp_path / "file" / "data"),
        "LAND": "gopher://nowhere",
        "LISTEN": "everywhere",
        "TLS_CERT": str(tmp_path / "file"),
        "TOKEN_FILE": str(tmp_path / "file"),
        "LAND_ROWS": "many",
        "NONSENSE": "1",
    }
    done = check(tmp_path, {f"HOPWATCH_AGENT_{name}": value for name, value in settings.items()})
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert all(line.startswith("hopwatch agent: ") for line in lines)
    parts = ("the data directory cannot be", "gopher://nowhere", "cannot use the TLS files", "too short")
    for part in (*parts, "'everywhere'", "LAND_ROWS", "NONSENSE"):
        assert sum(part in line for line in lines) == 1, done.stderr


def test_check_says_what_the_settings_come_to_and_makes_nothing(tmp_path: Path) -> None:
    done = check(
        tmp_path, {"HOPWATCH_AGENT_TOKEN": "correct-horse-battery", "HOPWATCH_AGENT_LISTEN": "0.0.0.0:1"}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert 'listen = "0.0.0.0:1"' in done.stdout
    assert 'token = "(not shown)"' in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_without_a_token_it_does_not_start_beyond_loopback(tmp_path: Path) -> None:
    done = run(tmp_path, {"HOPWATCH_AGENT_LISTEN": "0.0.0.0:0"})
    assert (done.returncode, done.stdout) == (2, "")
    assert "refusing to serve other hosts at 0.0.0.0:0 without a token" in done.stderr
    assert "--insecure" in done.stderr
    assert done.stderr.count("\n") == 1


def run(folder: Path, settings: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    environ = {**others, "HOPWATCH_DIR": str(folder / "journal"), **settings}
    return run_to_end([HOPWATCH, "agent", *arguments], environ)


def check(folder: Path, settings: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return run(folder, settings, "--check")
