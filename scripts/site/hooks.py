"""What mkdocs asks for while it builds the site (mkdocs.yml, ``hooks``)."""

import posixpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from repository import (
    DOCS,
    ELSEWHERE,
    LISTING,
    REPOSITORY,
    listing_of,
    repository_path,
    resolved,
    site_path,
    with_links,
)
from shown import PAGE, Shown, page_of


def on_files(files: Files, /, *, config: MkDocsConfig) -> Files:
    """Adds what is listed of the repository, what that and the documents link to, and the tests that they name."""
    listed = [source for source in _listed(config.nav or []) if source.startswith(ELSEWHERE)]
    to_read = [repository_path(file.src_uri) for file in files.documentation_pages()]
    to_read += [repository_path(source) for source in listed]
    tests: set[Shown] = set()
    read: set[str] = set()
    while to_read:
        path = to_read.pop()
        if path in read:
            continue
        read.add(path)
        if not path.startswith(DOCS) and (added := _of_the_repository(path, config)):
            files.append(added)
        if path.endswith(".md") and (REPOSITORY / path).is_file():
            linked, named = _linked(path)
            to_read += linked
            tests |= named
    files.append(File.generated(config, PAGE, content=page_of(tests)))
    return files


def on_page_markdown(markdown: str, /, *, page: Page, **_: object) -> str:
    """Leads links to where their targets are on the site."""
    source = page.file.src_uri
    if source == PAGE:
        return markdown
    here = repository_path(source)

    def rewrite(target: str, title: str | None) -> str:
        path, anchor = resolved(here, target)
        shown = _shown(path, title)
        if shown:
            return _relative(source, PAGE) + shown.anchor
        return (
            target
            if path.startswith(DOCS) and here.startswith(DOCS)
            else _relative(source, site_path(path)) + anchor
        )

    return with_links(markdown, rewrite)


def _of_the_repository(path: str, config: MkDocsConfig) -> File | None:
    """A file for the site; None where there is none, which mkdocs finds when it follows the link."""
    on_disk = REPOSITORY / path
    if on_disk.is_file():
        return File.generated(config, site_path(path), abs_src_path=str(on_disk))
    if on_disk.name == LISTING and on_disk.parent.is_dir():
        return File.generated(config, site_path(path), content=listing_of(posixpath.dirname(path)))
    return None


def _listed(nav: object) -> list[str]:
    """The paths in a navigation, in order."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [path for part in parts for path in _listed(part)]  # type: ignore[attr-defined]


def _linked(path: str) -> tuple[list[str], set[Shown]]:
    """What a document links to: files, and tests by their names."""
    linked: list[str] = []
    tests: set[Shown] = set()

    def note(target: str, title: str | None) -> str:
        to, _ = resolved(path, target)
        shown = _shown(to, title)
        tests.update([shown] if shown else [])
        linked.extend([] if shown else [to])
        return target

    with_links((REPOSITORY / path).read_text(), note)
    return linked, tests


def _shown(path: str, title: str | None) -> Shown | None:
    """A link to a file of tests whose title is a test's name."""
    return Shown(path, title) if path.startswith("tests/") and (title or "").startswith("test_") else None  # type: ignore[arg-type]


def _relative(source: str, target: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(source) or ".")
