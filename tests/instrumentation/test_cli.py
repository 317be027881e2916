"""The ``hopwatch`` command finds its sub-commands quickly, and says which extra is missing."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hopwatch.extras import BROUGHT_BY

HEAVY = ["pyspark", "pyarrow", "pandas", "fastapi", "uvicorn", "httpx", "rich", "shtab", "textual"]
COMMANDS = ("agent", "analyze", "completion", "demo", "status", "top")

needs_every_extra = pytest.mark.skipif(
    any(find_spec(package) is None for package in (*HEAVY, "msgspec")),
    reason="of several packages that are missing, another one would be named first",
)

HIDING = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""


MOST_MODULES = 600
"""With every extra there are some 370: what is loaded, not a time, says whether the command is quick."""
LISTING_MODULES = """
import sys
from hopwatch.cli import main

try:
    main(["--help"])
finally:
    print(*sys.modules, file=sys.stderr)
"""


def hopwatch(
    *arguments: str, hidden: str = "", tmp_path: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if tmp_path is not None:
        (tmp_path / "sitecustomize.py").write_text(HIDING.format(hidden=hidden.split()))
        environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", "import sys; from hopwatch.cli import main; sys.exit(main())", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )


def test_help_lists_every_command_quickly() -> None:
    command = [sys.executable, "-c", LISTING_MODULES]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    modules = run.stderr.split()
    assert "hopwatch.cli" in modules
    assert not set(HEAVY) & set(modules)
    assert len(modules) < MOST_MODULES
    for command in COMMANDS:
        assert re.search(rf"\n    {command}\s", run.stdout)


@needs_every_extra
def test_help_and_each_commands_help_need_none_of_the_heavy_packages(tmp_path: Path) -> None:
    for arguments in (["--help"], *([command, "--help"] for command in COMMANDS)):
        run = hopwatch(*arguments, hidden=" ".join(HEAVY), tmp_path=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        assert "needs the package" not in run.stdout


def test_help_of_the_commands_for_a_terminal_needs_nothing_of_their_extra(tmp_path: Path) -> None:
    for command in ("completion", "status", "top"):
        run = hopwatch(command, "--help", hidden="msgspec httpx rich shtab textual", tmp_path=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        assert f"usage: hopwatch {command}" in run.stdout


@needs_every_extra
@pytest.mark.parametrize(
    ("command", "package", "extras"),
    [
        ("agent", "msgspec", "agent,api"),
        ("agent", "fastapi", "agent,api"),
        ("agent", "uvicorn", "agent,api"),
        ("completion", "shtab", "console"),
        ("status", "httpx", "console"),
        ("status", "rich", "console"),
        ("analyze", "pyspark", "analysis"),
        ("analyze", "pyarrow", "analysis"),
    ],
)
def test_a_missing_extra_is_one_clear_line_and_status_2(
    tmp_path: Path, command: str, package: str, extras: str
) -> None:
    arguments = ["agent", "--dir", str(tmp_path / "j"), "--data", str(tmp_path / "d")]
    if command == "analyze":
        arguments = ["analyze", str(tmp_path), "--out", str(tmp_path / "out")]
    elif extras == "console":
        arguments = [command, *(["bash"] if command == "completion" else [])]
    run = hopwatch(*arguments, hidden=package, tmp_path=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    (line,) = run.stderr.splitlines()
    known_as = BROUGHT_BY.get(package, package)
    assert line.startswith(f"hopwatch {command} needs the package {known_as}: pip install ")
    assert "[all]" in line
    assert line.endswith(f" (or only [{extras}])")


@needs_every_extra
def test_a_package_that_comes_with_another_is_told_by_the_name_of_that(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    run = hopwatch("analyze", str(tmp_path), "--out", out, hidden="py4j pyspark", tmp_path=tmp_path)
    assert run.stderr.startswith("hopwatch analyze needs the package pyspark: pip install ")


@needs_every_extra
@pytest.mark.parametrize("package", ["msgspec", "uvicorn", "pyspark"])
def test_a_demo_without_an_extra_says_so_and_leaves_the_former_report(tmp_path: Path, package: str) -> None:
    former = tmp_path / "demo" / "report" / "report.json"
    former.parent.mkdir(parents=True)
    former.write_text("{}")
    (tmp_path / "demo" / ".hopwatch-demo").touch()
    run = hopwatch("demo", "--out", str(tmp_path / "demo"), hidden=package, tmp_path=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"hopwatch demo needs the package {package}: pip install ")
    assert line.endswith("[all]'")  # it runs an agent and Spark: no single extra is enough
    assert former.read_text() == "{}"


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ("", "pip install 'hopwatch[all]'"),
        ('{{"url": "file://{here}", "dir_info": {{}}}}', "pip install '{here}[all]'"),
        (
            '{{"url": "file://{here}", "dir_info": {{"editable": true}}}}',
            "pip install -e '{here}[all]'",
        ),
        ('{{"url": "file://{here}/gone", "dir_info": {{}}}}', "pip install '.[all]' in its folder"),
        (
            '{{"url": "https://example.org/hopwatch", "vcs_info": {{"vcs": "git"}}}}',
            "pip install 'hopwatch[all] @ git+https://example.org/hopwatch'",
        ),
    ],
)
def test_what_to_install_is_said_for_where_hopwatch_came_from(
    tmp_path: Path, origin: str, command: str
) -> None:
    """As the installer records it, beside the distribution's metadata."""
    metadata = tmp_path / "hopwatch-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hopwatch\nVersion: 0.1.0\n")
    points = "[hopwatch.commands]\nanalyze = hopwatch_analysis.command:AnalyzeCommand\n"
    (metadata / "entry_points.txt").write_text(points)
    if origin:
        (metadata / "direct_url.json").write_text(origin.format(here=tmp_path))
    run = hopwatch(
        "analyze", str(tmp_path), "--out", str(tmp_path / "out"), hidden="pyspark", tmp_path=tmp_path
    )
    assert command.format(here=tmp_path) in run.stderr


def test_another_missing_module_is_an_error_like_any_other(tmp_path: Path) -> None:
    run = hopwatch("demo", "--help", hidden="hopwatch_demo", tmp_path=tmp_path)
    assert run.returncode == 1
    assert "hopwatch_demo" in run.stderr


@pytest.mark.parametrize(
    "arguments", [["nosuch"], ["--nosuch"], pytest.param(["agent", "--nosuch"], marks=needs_every_extra)]
)
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    run = hopwatch(*arguments)
    assert run.returncode == 2
    assert "usage: hopwatch" in run.stderr


def test_the_version_is_the_distributions() -> None:
    assert hopwatch("--version").stdout == "hopwatch 0.1.0\n"
