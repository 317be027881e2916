"""``hopwatch run`` changes nothing about a program but that its pyzmq sockets are wrapped."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hopwatch.running import STARTUP
from journal_reader import Journal

SOCKETS = """
import zmq

def pass_a_message():
    context = zmq.Context()
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    push.send(b"x")
    assert pull.recv_multipart() == [b"x"]
    context.destroy()
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def bare(tmp_path: Path, journal: Journal) -> Run:
    """Run a command in a folder that has the module ``sockets``."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "sockets.py").write_text(SOCKETS)

    def run(*command: str, PYTHONPATH: str = "", **environment: str) -> subprocess.CompletedProcess[str]:  # noqa: N803
        entries = [PYTHONPATH, os.environ.get("PYTHONPATH", "")]
        path = {"PYTHONPATH": os.pathsep.join(filter(None, entries))} if any(entries) else {}
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "HOPWATCH_DIR": str(journal.directory), **environment, **path},
            input="typed in\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def run(bare: Run) -> Run:
    """Run it under ``hopwatch run``."""
    main = "import sys; from hopwatch.cli import main; sys.exit(main())"

    def instrumented(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return bare(sys.executable, "-c", main, "run", *command, **environment)

    return instrumented


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write_program(name: str, text: str) -> Path:
        path = tmp_path / "programs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write_program


def passed(journal: Journal) -> int:
    """Messages that wrapped sockets received, in all processes."""
    return sum(event["counters"]["received"] for event in journal.events("closed"))


PROGRAMS = {
    "a file": ["app.py"],
    "a file after --": ["--", "app.py"],
    "python and a file": ["python", "app.py"],
    "python -m": ["python", "-m", "app"],
    "python -c": ["python", "-c", "import app"],
    "python -X and -W": ["python", "-X", "dev", "-W", "error", "app.py"],
    "a shell": ["sh", "-c", "python app.py && exit 0"],
    "a console script": ["./script"],
    "another shell's child": ["sh", "-c", "sh -c 'exec ./script'"],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_way_to_start_a_program_is_instrumented(
    run: Run, write, journal: Journal, program: str
) -> None:
    write("app.py", "import sockets\nsockets.pass_a_message()\n")
    write("script", f"#!{sys.executable}\nimport sockets\nsockets.pass_a_message()\n").chmod(0o755)
    ended = run(*PROGRAMS[program], PYTHONPATH=".", PATH=with_python())
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert passed(journal) == 1


def with_python() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


CHILDREN = {
    "subprocess": "subprocess.run([sys.executable, 'child.py'], check=True)",
    "system": "assert os.system(f'{sys.executable} child.py') == 0",
    "fork": "pid = os.fork()\n    if not pid: pass_a_message(); os._exit(0)\n    assert os.waitpid(pid, 0)[1] == 0",
    "multiprocessing fork": "begin('fork')",
    "multiprocessing spawn": "begin('spawn')",
    "multiprocessing forkserver": "begin('forkserver')",
    "exec": "os.execv(sys.executable, [sys.executable, 'child.py'])",
}


@pytest.mark.parametrize("way", CHILDREN)
def test_child_processes_are_instrumented(run: Run, write, journal: Journal, way: str) -> None:
    write("child.py", "from sockets import pass_a_message\npass_a_message()\n")
    write(
        "app.py",
        f"""
import multiprocessing, os, subprocess, sys
from sockets import pass_a_message

def begin(method):
    process = multiprocessing.get_context(method).Process(target=pass_a_message)
    process.start()
    process.join()
    assert process.exitcode == 0

if __name__ == "__main__":
    {CHILDREN[way]}
""",
    )
    ended = run("app.py")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert passed(journal) == 1


WORLD = """
import json, os, signal, sys
environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "HOPWATCH_DIR", "_"}}
before = sorted(sys.modules)
import zmq
print(json.dumps({
    "before": before, "argv": sys.argv, "orig_argv": sys.orig_argv[1:], "name": __name__, "file": __file__,
    "path": sys.path, "cwd": os.getcwd(), "flags": repr(sys.flags), "warnoptions": sys.warnoptions,
    "environment": environment, "meta_path": [repr(type(finder)) for finder in sys.meta_path],
    "loader": repr(type(zmq.__loader__)), "spec": repr(type(zmq.__spec__.loader)), "stdin": sys.stdin.readline(),
    "signals": [repr(signal.getsignal(number)) for number in signal.valid_signals()], "executable": sys.executable,
    "ignored": [line for line in open("/proc/self/status") if line.startswith(("SigIgn", "SigBlk"))],
}))
"""


@pytest.mark.parametrize(
    "command", [["app.py", "a", "--", "--name", "b"], ["-X", "dev", "-W", "error", "-u", "app.py"]]
)
def test_the_world_is_the_one_that_a_bare_program_sees(
    run: Run, bare: Run, write, command: list[str]
) -> None:
    write("app.py", WORLD)
    watched, alone = (json.loads(start(sys.executable, *command).stdout) for start in (run, bare))
    assert watched == alone


def test_stdin_stdout_stderr_and_the_exit_status_are_the_programs(run: Run, bare: Run, write) -> None:
    write("app.py", "import sys, zmq\nprint(input())\nprint('e', file=sys.stderr)\nsys.exit(7)\n")
    watched, alone = run("app.py"), bare(sys.executable, "app.py")
    assert (watched.returncode, watched.stdout, watched.stderr) == (7, "typed in\n", "e\n")
    assert (alone.returncode, alone.stdout, alone.stderr) == (7, "typed in\n", "e\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGPIPE])
def test_a_signal_to_the_pid_that_was_started_reaches_the_program(run: Run, write, number: int) -> None:
    write(
        "app.py",
        f"import os, signal, zmq\nsignal.signal({number}, signal.SIG_DFL) if {number} != 9 else 0\n"
        f"os.kill(os.getpid(), {number})\n",
    )
    assert run("app.py").returncode == -number


def test_a_pipe_that_is_closed_ends_other_programs_as_without_hopwatch(run: Run, bare: Run) -> None:
    command = ["bash", "-c", "yes | head -1 > /dev/null; echo ${PIPESTATUS[0]}"]
    assert run(*command).stdout == bare(*command).stdout == "141\n"


def test_the_environment_gains_the_python_path_alone(run: Run, bare: Run) -> None:
    watched = run("env", LANG="C", LC_ALL="").stdout.splitlines()
    alone = bare("env", LANG="C", LC_ALL="").stdout.splitlines()
    assert [line for line in watched if "PYTHONPATH=" not in line] == [
        line for line in alone if "PYTHONPATH=" not in line
    ]


def test_a_program_without_pyzmq_loads_neither_pyzmq_nor_hopwatch(run: Run, write, journal: Journal) -> None:
    write(
        "app.py",
        "import sys\nprint([name for name in sys.modules if name in {'zmq', 'hopwatch', 'logging', 'json'}])\n",
    )
    assert run("app.py").stdout == "[]\n"
    assert not journal.directory.exists()


@pytest.mark.parametrize(
    "imports", ["import hopwatch", "import hopwatch.wrapping", "import zmq.asyncio", "from zmq import green"]
)
def test_whatever_is_imported_first_sockets_are_wrapped(
    run: Run, write, journal: Journal, imports: str
) -> None:
    if "green" in imports:
        pytest.importorskip("gevent")
    write("app.py", f"{imports}\nimport sockets\nsockets.pass_a_message()\n")
    ended = run("app.py")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert passed(journal) == 1


def test_looking_for_pyzmq_does_not_disturb(run: Run, write, journal: Journal) -> None:
    write(
        "app.py",
        """
        import importlib, importlib.util, sys
        assert importlib.util.find_spec("zmq").origin.endswith("__init__.py")
        assert "zmq" not in sys.modules
        import sockets
        sockets.pass_a_message()
        importlib.reload(sockets.zmq)
        sockets.pass_a_message()
    """,
    )
    assert run("app.py").returncode == 0
    assert passed(journal) == 2


EXISTING = {
    "runs": ("print('theirs')", "theirs\n", ""),
    "fails": (
        "raise ValueError('theirs')",
        "",
        "Error in sitecustomize; set PYTHONVERBOSE for traceback:\nValueError: theirs\n",
    ),
}


@pytest.mark.parametrize("way", EXISTING)
def test_an_existing_sitecustomize_does_what_it_does_without_hopwatch(
    run: Run, bare: Run, write, journal: Journal, way: str
) -> None:
    text, stdout, stderr = EXISTING[way]
    write("theirs/sitecustomize.py", f"mark = 'theirs'\n{text}\n")
    write(
        "app.py",
        "import sys, sockets\nsockets.pass_a_message()\nprint(getattr(sys.modules.get('sitecustomize'), 'mark', None))\n",
    )
    alone = bare(sys.executable, "app.py", PYTHONPATH="theirs")
    watched = run("app.py", PYTHONPATH="theirs")
    # once for the interpreter of hopwatch itself, and then as without it
    assert (watched.returncode, watched.stdout) == (alone.returncode, stdout + alone.stdout)
    assert watched.stderr == stderr + alone.stderr
    assert passed(journal) == 1


def test_importing_sitecustomize_where_there_is_none_fails_as_ever(run: Run, bare: Run, write) -> None:
    write(
        "app.py",
        "try:\n    import sitecustomize\n    print(sitecustomize.__file__)\nexcept ImportError as e:\n    print(repr(e))\n",
    )
    assert run("app.py").stdout == bare(sys.executable, "app.py").stdout != ""


@pytest.fixture
def other_interpreter(tmp_path: Path) -> Path:
    """A virtual environment that has neither pyzmq nor hopwatch."""
    folder = tmp_path / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    return folder / "bin" / "python"


def test_an_interpreter_without_hopwatch_is_not_disturbed(run: Run, other_interpreter: Path) -> None:
    ended = run(str(other_interpreter), "-c", "print('goes on')")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "goes on\n", "")


def site_packages(of: Path) -> Path:
    command = [str(of), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.check_output(command, text=True).strip())


def test_an_interpreter_with_pyzmq_but_without_hopwatch_is_lent_this_one(
    run: Run, write, other_interpreter: Path, journal: Journal
) -> None:
    import zmq

    installed = Path(zmq.__file__).parent
    for folder in (installed, installed.with_name("pyzmq.libs")):
        (site_packages(other_interpreter) / folder.name).symlink_to(folder)
    write(
        "app.py",
        "import sockets, sys\nsockets.pass_a_message()\nprint('hopwatch' in sys.modules, sys.path[1:])\n",
    )
    only_ours = ["env", f"PYTHONPATH={STARTUP}"]
    ended = run(*only_ours, str(other_interpreter), "app.py")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("True ")
    assert str(STARTUP.parent.parent) not in ended.stdout
    assert passed(journal) == 1


@pytest.mark.parametrize(
    ("text", "reason"), [("__version__ = '19.0.2'", "older"), ("__version__ = '27.0.0'", "Error")]
)
def test_what_cannot_be_instrumented_costs_one_line(
    run: Run, write, other_interpreter: Path, text: str, reason: str
) -> None:
    (site_packages(other_interpreter) / "zmq.py").write_text(text)
    ended = run(str(other_interpreter), "-c", "import zmq; print(zmq.__version__)")
    assert (ended.returncode, ended.stdout) == (0, text.split("'")[1] + "\n")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("hopwatch does not instrument this process: ")
    assert reason in line


def test_a_python_that_is_too_old_costs_one_line_where_it_imports_pyzmq(
    bare: Run, write, journal: Journal
) -> None:
    """Here the running one is taken for it."""
    startup = (STARTUP / "sitecustomize.py").read_text()
    write("later/sitecustomize.py", re.sub(r"OLDEST_PYTHON = .*", "OLDEST_PYTHON = (3, 99)", startup))
    write("app.py", "import sockets\nsockets.pass_a_message()\nprint('goes on')\n")
    ended = bare(sys.executable, "app.py", PYTHONPATH="later")
    version = ".".join(map(str, sys.version_info[:2]))
    told = f"hopwatch does not instrument this process: Python {version} is older than 3.99\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "goes on\n", told)
    assert not journal.directory.exists()
    assert bare(sys.executable, "-c", "print('no pyzmq')", PYTHONPATH="later").stderr == ""


def test_uninstall_within_the_program_leaves_its_later_sockets_bare_and_its_children_wrapped(
    run: Run, write, journal: Journal
) -> None:
    write("child.py", "import sockets\nsockets.pass_a_message()\n")
    write(
        "app.py",
        """
        import subprocess, sys, hopwatch, sockets, zmq
        context = zmq.Context()
        with context.socket(zmq.PULL) as before:
            wrapped = type(before)
            hopwatch.uninstall()
            print(wrapped is not zmq.Socket, type(before) is zmq.Socket)
        with context.socket(zmq.PULL) as later:
            print(type(later) is zmq.Socket)
        sockets.pass_a_message()
        subprocess.run([sys.executable, "child.py"], check=True)
        """,
    )
    ended = run("app.py")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True True\nTrue\n", "")
    assert sorted(event["type"] for event in journal.events("opened")) == ["PULL", "PULL", "PUSH"]
    assert passed(journal) == 1


def test_what_any_interpreter_may_come_upon_is_old_python() -> None:
    ast.parse((STARTUP / "sitecustomize.py").read_text(), feature_version=(3, 7))


def test_options_set_the_environment(run: Run, write, journal: Journal, tmp_path: Path) -> None:
    write("app.py", "import sockets\nsockets.pass_a_message()\n")
    run("--sequence", "stamp", "--name", "quotes", "--dir", "../elsewhere", "app.py")
    opened = Journal(tmp_path / "elsewhere").events("opened")
    assert [(event["name"], event["sequence"]) for event in opened] == [("quotes", "stamp")] * 2
    assert not journal.directory.exists()


@pytest.mark.parametrize(
    ("options", "sequence", "every"),
    [(["--sequence", "count"], "count", 1), (["--sequence", "stamp", "--stamp-every", "16"], "stamp", 16)],
)
def test_whatever_the_environment_may_say_of_numbering_is_an_option_too(
    run: Run, write, journal: Journal, options: list[str], sequence: str, every: int
) -> None:
    write("app.py", "import sockets\nsockets.pass_a_message()\n")
    assert run(*options, "app.py").stderr == ""
    push = next(event for event in journal.events("opened") if event["type"] == "PUSH")
    assert (push["sequence"], push["stamp_every"]) == (sequence, every)


ONE_FRAME = """
import zmq

with zmq.Context() as context, context.socket(zmq.XPUB) as pub, context.socket(zmq.SUB) as sub:
    sub.subscribe(b"tick")
    sub.connect(f"tcp://127.0.0.1:{pub.bind_to_random_port('tcp://127.0.0.1')}")
    pub.recv()
    for number in range(10):
        pub.send(b"%s %d" % (b"tick" if number % 2 else b"tock", number))
    for number in range(5):
        assert sub.recv() == b"tick %d" % (2 * number + 1)
"""


@pytest.mark.parametrize(
    ("options", "lanes"), [((), [""]), (("--topic", " "), ["tick"]), (("--topic", "4"), ["tick"])]
)
def test_the_topic_within_one_frame_can_be_told(
    run: Run, write, journal: Journal, options: tuple[str, ...], lanes: list[str]
) -> None:
    write("app.py", ONE_FRAME)
    assert run("--sequence", "stamp", *options, "app.py").stderr == ""
    (sub,) = (event["socket"] for event in journal.events("opened") if event["type"] == "SUB")
    told = [
        bytes.fromhex(event["topic"]).decode() for event in journal.events("lane") if event["socket"] == sub
    ]
    assert (told or [""]) == lanes
    findings = {event["rule"]: event for event in journal.events("finding") if event["socket"] == sub}
    assert ("partial_lane" in findings) is (lanes == [""])
    if "partial_lane" in findings:
        assert """wrap(topic=b" "), or under hopwatch run --topic ' '""" in findings["partial_lane"]["advice"]


@pytest.mark.parametrize("option", ["-I", "-E", "-bS"])
def test_an_option_that_keeps_hopwatch_out_is_told(run: Run, bare: Run, write, option: str) -> None:
    command = ["python", "-X", "dev", option, "-c", "print('runs')", "-I"]
    told, ran = run(*command, PATH=with_python()), bare(*command, PATH=with_python())
    assert (told.stdout, told.returncode) == (ran.stdout, ran.returncode) == ("runs\n", 0)
    assert told.stderr == f"hopwatch run: python {option} keeps hopwatch out: the program runs bare\n"
    assert run("python", "-c", "pass", option, PATH=with_python()).stderr == ""


def test_disabled_means_bare(run: Run, write, journal: Journal) -> None:
    write("app.py", "import sockets, sys\nsockets.pass_a_message()\nprint('hopwatch' in sys.modules)\n")
    assert run("app.py", HOPWATCH_DISABLED="1").stdout == "False\n"
    assert not journal.directory.exists()


FAILING = {
    "nosuch": (127, "hopwatch run: nosuch: command not found\n"),
    "./nosuch": (127, "hopwatch run: ./nosuch: No such file or directory\n"),
    "nosuch.py": (127, "hopwatch run: nosuch.py: command not found\n"),
    "./sockets.pyc": (126, "hopwatch run: ./sockets.pyc: Permission denied\n"),
    "/": (126, "hopwatch run: /: Permission denied\n"),
}


@pytest.mark.parametrize("program", FAILING)
def test_a_program_that_cannot_be_run_gives_the_status_that_a_shell_gives(
    run: Run, write, program: str
) -> None:
    write("sockets.pyc", "")
    ended = run(program)
    assert (ended.returncode, ended.stdout, ended.stderr) == (FAILING[program][0], "", FAILING[program][1])


def test_no_program_is_wrong_usage(run: Run) -> None:
    for arguments in ([], ["--"], ["--name", "x"]):
        ended = run(*arguments)
        assert ended.returncode == 2
        assert "usage: hopwatch run" in ended.stderr or "usage: -c run" in ended.stderr


def test_running_under_itself_is_running_once(run: Run, write, journal: Journal) -> None:
    write(
        "app.py",
        "import os, sockets\nsockets.pass_a_message()\nprint(os.environ['PYTHONPATH'].count('startup'))\n",
    )
    main = "import sys; from hopwatch.cli import main; sys.exit(main())"
    assert run(sys.executable, "-c", main, "run", "app.py").stdout == "1\n"
    assert passed(journal) == 1
