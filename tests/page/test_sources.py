"""The page's files as they are written: checked as code, and complete by themselves."""

import re
import shutil
import subprocess
from pathlib import Path

import hopwatch_api.page
import pytest

REPOSITORY = Path(__file__).parents[2]
FILES = Path(hopwatch_api.page.__file__).parent / "files"
COMPILER = REPOSITORY / ".tools/crds/node_modules/typescript/bin/tsc"


@pytest.mark.skipif(
    not COMPILER.is_file() or shutil.which("node") is None,
    reason="TypeScript is not there: scripts/test fetches it by npm",
)
def test_a_compiler_finds_nothing_wrong_with_the_scripts() -> None:
    checks = ["--allowJs", "--checkJs", "--noEmit", "--noUnusedLocals", "--noUnusedParameters"]
    language = [
        "--target",
        "ES2022",
        "--module",
        "ES2022",
        "--moduleResolution",
        "bundler",
        "--lib",
        "ES2023,DOM,DOM.Iterable",
    ]
    scripts = [str(path) for path in sorted(FILES.glob("js/*.js"))]
    told = subprocess.run(
        ["node", str(COMPILER), *checks, *language, *scripts], capture_output=True, text=True, check=False
    )
    assert told.stdout == ""


def test_nothing_is_fetched_from_elsewhere() -> None:
    for path in FILES.rglob("*"):
        if path.suffix in {".html", ".css", ".js", ".svg"}:
            found = re.findall(r"""(?:https?:)?//[\w.-]+\.\w+""", path.read_text())
            assert [url for url in found if "www.w3.org" not in url] == [], path


def test_every_script_is_used_and_small_enough_to_read() -> None:
    scripts = {path.name: path.read_text() for path in FILES.glob("js/*.js")}
    used = {name for text in scripts.values() for name in re.findall(r'"\./([\w_]+\.js)"', text)}
    assert used | {"main.js"} == scripts.keys()
    assert [name for name, text in scripts.items() if len(text.splitlines()) > 250] == []
