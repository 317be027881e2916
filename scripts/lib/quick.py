"""Choose the tests of what changed against main, nearest first.

A test is as near to a changed module as there are imports from it to that module: its own, those of ``tests/support`` and of conftest modules on its
way, and those of the product. A test that runs the product as a process imports nothing of it: the tests in the folder of a changed package come
after, and so do those of what has no tests of its own.
"""

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from run_environment import ROOT

SOURCE_ROOTS = (
    "instrumentation",
    "agent",
    "api",
    "console",
    "judge",
    "analysis",
    "demo",
    "injector",
)
SUPPORT = ROOT / "tests" / "support"
SIMULATOR = ROOT / "tests" / "simulator"
SCRIPTS = ROOT / "scripts" / "lib"
PROGRAM = re.compile(r"[\w/-]+\.py")
OF_ALL_ELSE = ("ci", "docs")
"""Folders of the tests that look at scripts, settings and documents."""
NO_TESTS = len(SOURCE_ROOTS) * 1000
"""Farther than any test is."""


def tests_of_change() -> list[str]:
    """Return the test files that what changed concerns, nearest first, as paths from the root."""
    changed = {ROOT / path for path in changed_files()}
    near = {test: distance(test, changed) for test in sorted((ROOT / "tests").rglob("test_*.py"))}
    chosen = sorted((test for test, far in near.items() if far < NO_TESTS), key=lambda test: near[test])
    return [str(test.relative_to(ROOT)) for test in chosen if test.exists()]


def changed_files() -> list[str]:
    """Return what differs from main, committed or not, and what git does not know yet, as paths from the root."""
    against = base()
    differing = git("diff", "-z", "--name-only", "--no-renames", against)
    others = git("ls-files", "-z", "--others", "--exclude-standard")
    return sorted({*differing.split("\0"), *others.split("\0")} - {""})


def base() -> str:
    """Return the commit at which main was left: of the origin's main, where this is main itself. Without either, all is new."""
    for main in ("origin/main", "main"):
        if git("for-each-ref", f"refs/remotes/{main}", f"refs/heads/{main}"):
            return git("merge-base", "HEAD", main).strip()
    return git("hash-object", "-t", "tree", os.devnull).strip()


def git(*arguments: str) -> str:
    """Return what a command of git prints; raise ``CalledProcessError`` where it fails, after what it says."""
    return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def distance(test: Path, changed: set[Path]) -> int:
    """Return how many imports lie between a test and the nearest changed file."""
    seen, ring, far = {test}, {test, *conftests(test)}, 0
    while ring:
        if ring & changed:
            return far
        seen |= ring
        ring = {found for path in ring for found in imported(path, frozenset(changed))} - seen
        far += 1
    return beside(test, changed)


def beside(test: Path, changed: set[Path]) -> int:
    """Return what comes after all distances by imports for a test in the folder of a changed package, else NO_TESTS."""
    folder = test.relative_to(ROOT / "tests").parts[0]
    folders = {each for path in changed for each in folders_of(path.relative_to(ROOT))}
    return NO_TESTS - 1 if folder in folders else NO_TESTS


def folders_of(path: Path) -> tuple[str, ...]:
    """Return the folders of tests that a changed file concerns, whether or not they import it."""
    first, *rest = path.parts
    if first != "tests":
        return (first,) if (ROOT / "tests" / first).is_dir() else OF_ALL_ELSE
    is_test = path.name.startswith("test_") and path.suffix == ".py"
    return () if is_test or len(rest) < 2 else (rest[0],)


def conftests(test: Path) -> Iterator[Path]:
    """Yield the conftest modules that apply to a test."""
    for folder in test.parents:
        if (folder / "conftest.py").exists():
            yield folder / "conftest.py"
        if folder.name == "tests":
            return


@cache
def imported(path: Path, gone: frozenset[Path]) -> frozenset[Path]:
    """Return the files of this project that a file imports, or names as programs, those too that are gone."""
    if path.suffix != ".py" or not path.exists():
        return frozenset()
    names: set[str] = set()
    programs: set[Path] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and PROGRAM.fullmatch(node.value):
            programs |= {SUPPORT / node.value, path.parent / node.value}
    modules = {found for name in names if (found := file_of(name, gone)) is not None}
    return frozenset(modules | {each for each in programs if each.exists() or each in gone})


@cache
def file_of(module: str, gone: frozenset[Path]) -> Path | None:
    """Return the file of one of this project's modules."""
    place = module.replace(".", "/")
    for root in (*(ROOT / each for each in SOURCE_ROOTS), SUPPORT, SIMULATOR, SCRIPTS):
        for found in (root / f"{place}.py", root / place / "__init__.py"):
            if found.exists() or found in gone:
                return found
    return None


if __name__ == "__main__":
    print("\n".join(tests_of_change()))
