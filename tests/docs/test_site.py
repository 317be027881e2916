"""The site is whole: a link that leads nowhere is an error, and nothing is fetched from elsewhere."""

import re
import shutil
from pathlib import Path

import pytest
from browser import CHROMIUM
from documents import DOCS, REPOSITORY
from page_reader import read_page
from playwright.sync_api import Route, sync_playwright
from site_builds import build

FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|audio|video)\b[^>]*\bsrc=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b[^>]*\bhref=["']?((?:https?:)?//[^"'\s>]+)|url\(["']?((?:https?:)?//[^"')]+)"""
)
LEADING_NOWHERE = {
    "[there is no such page](no-such-page.md)": "no-such-page.md",
    "[there is no such heading](start.md#no-such-heading)": "start.md#no-such-heading",
    "[there is no such file of the repository](../agent/NO_SUCH_FILE.md)": "repository/agent/NO_SUCH_FILE.md",
    "[there is no such heading there](../agent/README.md#no-such-part)": "agent/README.md#no-such-part",
    "[defined][nowhere]\n\n[nowhere]: ../NOT_THERE.md": "repository/NOT_THERE.md",
}
"""What a page may say, and what a warning then names."""
PICTURES = sorted(DOCS.rglob("*.svg"))


def with_page(tmp_path: Path, text: str) -> Path:
    """A copy of the documents in which a page has this as well."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for part in ("docs", "scripts"):
        shutil.copytree(REPOSITORY / part, copy / part)
    (copy / "docs" / "limits.md").write_text(f"{(DOCS / 'limits.md').read_text()}\n{text}\n")
    config = (REPOSITORY / "mkdocs.yml").read_text()
    for name in ("tests", "README.md", *_folders_of_the_repository()):
        (copy / name).symlink_to(REPOSITORY / name)
    (copy / "mkdocs.yml").write_text(config)
    return copy / "mkdocs.yml"


def _folders_of_the_repository() -> list[str]:
    parts = (
        "agent",
        "analysis",
        "api",
        "benchmarks",
        "console",
        "demo",
        "helm",
        "images",
        "injector",
        "instrumentation",
    )
    return [*parts, "CHANGELOG.md", "CONTRIBUTING.md"]


@pytest.fixture(scope="module")
def warned_of(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a site whose links all lead nowhere."""
    folder = tmp_path_factory.mktemp("nowhere")
    built = build(with_page(folder, "\n\n".join(LEADING_NOWHERE)), folder / "site")
    assert built.returncode != 0
    return built.stderr


@pytest.mark.parametrize("target", LEADING_NOWHERE.values())
def test_a_link_that_leads_nowhere_is_an_error(warned_of: str, target: str) -> None:
    assert re.search(rf"^WARNING .*{re.escape(target)}", warned_of, re.MULTILINE)


def test_a_sentence_that_names_a_test_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    text = '[shown](../tests/docs/test_site.py "test_that_is_not_there")'
    built = build(with_page(tmp_path, text), tmp_path / "site")
    assert built.returncode != 0
    assert "test_that_is_not_there" in built.stderr


def test_a_link_out_of_the_documents_is_followed_on_the_site(site: Path) -> None:
    start = (site / "start.html").read_text()
    assert 'href="repository/index.html#without-changing-a-line"' in start
    assert 'id="without-changing-a-line"' in (site / "repository" / "index.html").read_text()


def test_no_page_names_anything_to_fetch_from_elsewhere(site: Path) -> None:
    found = {
        (path.relative_to(site).as_posix(), next(filter(None, match)))
        for path in [*site.rglob("*.html"), *site.rglob("*.css")]
        for match in FETCHED.findall(path.read_text())
    }
    assert found == set()


def test_a_browser_fetches_nothing_from_elsewhere(site: Path) -> None:
    asked: list[str] = []

    def note(route: Route) -> None:
        asked.append(route.request.url)
        route.abort() if not route.request.url.startswith("file:") else route.continue_()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.route("**/*", note)
        for name in ("index.html", "when-zeromq-is-full.html", "repository/index.html"):
            page.goto((site / name).as_uri(), wait_until="networkidle")
        browser.close()
    assert asked
    assert [url for url in asked if not url.startswith("file:")] == []


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_a_picture_says_what_it_shows_and_can_be_seen_in_the_dark(picture: Path) -> None:
    (drawing,) = read_page(picture.read_text()).all("svg")
    assert drawing.one("title").text
    assert drawing.one("desc").text
    assert drawing.attributes["role"] == "img"
    assert "prefers-color-scheme: dark" in picture.read_text()


def test_the_navigation_has_each_page_once() -> None:
    nav = (REPOSITORY / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = re.findall(r"(\S+\.md)$", nav, re.MULTILINE)
    assert sorted(set(listed)) == sorted(listed)
