"""Where a file of the repository is on the site, and the other way round.

The site is made of ``docs/``. What documents there link to elsewhere in the repository is on the site below ``repository/``, so that
a link is relative in the repository, works there, and is checked and followed on the site.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = "docs/"
ELSEWHERE = "repository/"
LISTING = "index.md"
"""The name, on the site, of what is shown of a folder that has no README.md."""
_INLINE = re.compile(r'(?P<before>\]\()(?P<target>[^)\s]+)(?P<after>(?:\s+"(?P<title>[^"]*)")?\))')
_DEFINED = re.compile(
    r'(?P<before>^\[[^\]]+\]:[ \t]+)(?P<target>\S+)(?P<after>(?:[ \t]+"(?P<title>[^"]*)")?[ \t]*$)',
    re.MULTILINE,
)
_FENCED = re.compile(r"^( *)(```+).*?^\1\2[ \t]*$", re.DOTALL | re.MULTILINE)
_FOREIGN = re.compile(r"[a-z]+:|#|//")

Rewrite = Callable[[str, str | None], str]
"""From a link's target and its title, if it has one, to its new target."""


def site_path(path: str) -> str:
    """Of a path in the repository: the path of its source on the site."""
    return path.removeprefix(DOCS) if path.startswith(DOCS) else ELSEWHERE + path


def repository_path(source: str) -> str:
    """Of a path on the site."""
    return source.removeprefix(ELSEWHERE) if source.startswith(ELSEWHERE) else DOCS + source


def with_links(text: str, rewrite: Rewrite) -> str:
    """A document with each relative link outside of code rewritten."""
    kept: list[str] = []
    done = 0
    for fenced in _FENCED.finditer(text):
        kept += [_rewritten(text[done : fenced.start()], rewrite), fenced[0]]
        done = fenced.end()
    return "".join([*kept, _rewritten(text[done:], rewrite)])


def resolved(page: str, target: str) -> tuple[str, str]:
    """Of a link in a page, both by paths in the repository: the file or folder that it leads to, and the anchor in it."""
    path, _, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    if (REPOSITORY / path).is_dir():
        has_readme = (REPOSITORY / path / "README.md").exists()
        path = posixpath.join(path, "README.md" if has_readme else LISTING)
    return path, f"#{anchor}" if anchor else ""


def _rewritten(text: str, rewrite: Rewrite) -> str:
    def one(link: re.Match[str]) -> str:
        if _FOREIGN.match(link["target"]):
            return link[0]
        return link["before"] + rewrite(link["target"], link["title"]) + link["after"]

    return _DEFINED.sub(one, _INLINE.sub(one, text))


def listing_of(folder: str) -> str:
    """What is shown of a folder: the names of its files."""
    found = sorted(
        file.relative_to(REPOSITORY) for file in (REPOSITORY / folder).rglob("*") if file.is_file()
    )
    lines = [f"- `{file}`" for file in found if "__pycache__" not in file.parts]
    return "\n".join([f"# {folder}", "", "Files of the repository:", "", *lines, ""])
