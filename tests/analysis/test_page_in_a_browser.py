"""report.html in a real Chromium: what only a browser can show."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from browser import CHROMIUM, MISSING, chromium
from hopwatch_analysis.page import page
from hopwatch_analysis.report.records import Analysis
from playwright.sync_api import Browser, Page
from report_records import analysis_of, fleet, hop, node, nothing_checked, row, three_hops

PHONE, DESK = 375, 1280

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@dataclass
class Opened:
    """A page as it was opened, what it asked for besides itself, and what it complained about."""

    page: Page
    asked_for: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_inner_texts()


class Opener:
    """Opens pages from files, as who got one by mail does."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser, self.folder = browser, folder

    def __call__(self, analysis: Analysis, *, width: int = DESK, scheme: str = "light") -> Opened:
        path = self.folder / "report.html"
        path.write_text(page(analysis), encoding="utf-8")
        context = self.browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
        )
        opened = Opened(context.new_page())
        opened.page.on("request", lambda request: opened.asked_for.append(request.url))
        opened.page.on("console", lambda message: opened.complaints.append(message.text))
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        opened.page.goto(path.as_uri())
        opened.asked_for.remove(path.as_uri())
        return opened


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    yield Opener(browser, tmp_path)
    for context in browser.contexts:
        context.close()


@pytest.mark.parametrize(
    ("make", "scheme"), [(three_hops, "light"), (fleet, "dark"), (nothing_checked, "light")]
)
def test_it_asks_for_nothing_and_complains_about_nothing(
    opened: Opener, make: type[Analysis], scheme: str
) -> None:
    found = opened(make(), scheme=scheme)
    assert (found.asked_for, found.complaints) == ([], [])


@pytest.mark.parametrize("make", [three_hops, fleet])
def test_it_is_no_wider_than_a_phone(opened: Opener, make: type[Analysis]) -> None:
    found = opened(make(), width=PHONE)
    assert found.page.evaluate("document.documentElement.scrollWidth") == PHONE


def await_true(page: Page, expression: str) -> None:
    """Asked for again and again from outside: the page's policy forbids what Playwright's own waiting evaluates within it."""
    deadline = time.monotonic() + 20
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(20)


def test_what_names_contain_is_never_run(opened: Opener) -> None:
    name = "</script><img src=x onerror=\"document.title='caught'\"><script>document.title='caught'</script>"
    sender, receiver = node(name, "PUB"), node("reader", "SUB")
    found = opened(analysis_of([hop(sender, receiver, lost=5)], [row(name, "reader", lost=5)]))
    assert found.page.title() == f"hopwatch: LOST: 5 messages on {name} → reader."
    assert (found.asked_for, found.complaints) == ([], [])
    assert found.texts("#ledger tbody th") == [name]


def test_even_an_element_that_slipped_in_could_neither_run_nor_fetch(opened: Opener) -> None:
    found = opened(three_hops())
    found.page.evaluate(
        """document.body.insertAdjacentHTML("beforeend",
        "<img src=http://127.0.0.1:9/x onerror=\\"document.title='caught'\\">")"""
    )
    await_true(found.page, "document.images[0].complete")
    assert found.page.title() != "caught"
    deadline = time.monotonic() + 20
    while not any("Content Security Policy" in complaint for complaint in found.complaints):
        assert time.monotonic() < deadline, found.complaints
        found.page.wait_for_timeout(20)


def test_a_table_sorts_by_the_heading_that_is_pressed(opened: Opener) -> None:
    found = opened(fleet())
    heading = found.page.locator("#ledger thead th", has_text="lost")

    def losses() -> list[int]:
        return [int(text.replace(",", "")) for text in found.texts("#ledger tbody td:nth-child(5)")]

    as_written = losses()
    heading.get_by_role("button").focus()
    found.page.keyboard.press("Enter")
    assert losses() == sorted(as_written, reverse=True) != as_written
    assert heading.get_attribute("aria-sort") == "descending"
    found.page.keyboard.press("Enter")
    assert losses() == sorted(as_written)
    found.page.locator("#ledger thead th", has_text="receiver").get_by_role("button").click()
    names = found.texts("#ledger tbody td:nth-child(2)")
    assert names == sorted(names)
    assert heading.get_attribute("aria-sort") is None


def test_the_filter_leaves_what_has_all_its_words(opened: Opener) -> None:
    found = opened(fleet())
    found.page.keyboard.press("/")
    found.page.keyboard.type("relay desk-01")
    shown = "#hops tbody tr:visible th:first-child + td bdi"
    assert found.texts(shown) == [
        "desk-011",
        "desk-010",
        "desk-013",
        "desk-014",
        "desk-016",
        "desk-017",
        "desk-019",
    ]
    assert found.texts(".incident:visible .where") == ["relay → desk-011", "relay → desk-010"]
    assert (
        found.page.locator(".way:not(.dim)").count() == 3
    )  # those two, and the others that are folded with them
    assert "entries" in found.page.locator("#found").inner_text()
    found.page.keyboard.press("Escape")
    assert len(found.texts("#hops tbody tr:visible")) == 300


def test_the_timeline_is_read_by_keys(opened: Opener) -> None:
    found = opened(three_hops())
    chart = found.page.get_by_role("slider", name="proxy → slow")
    chart.focus()
    found.page.keyboard.press("Home")
    found.page.keyboard.press("ArrowRight")
    said = chart.get_attribute("aria-valuetext") or ""
    assert said.startswith("2026-05-04 12:00:01 to 12:00:02 · 61 lost · 0 onsets · 0 reconnects · sent ")
    assert found.page.locator("#readout").inner_text() == f"proxy → slow: {said}"


def test_a_hop_of_the_picture_leads_to_its_incident(opened: Opener) -> None:
    found = opened(fleet(lossy=20))
    last = found.page.locator("#incident-14")
    assert last.get_attribute("open") is None
    found.page.locator(".way[href='#incident-14']").focus()
    found.page.keyboard.press("Enter")
    await_true(found.page, "document.getElementById('incident-14').open")
    assert "relay" in last.inner_text()


def test_on_paper_every_incident_is_open(opened: Opener) -> None:
    found = opened(fleet(lossy=20))
    found.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert found.page.locator("details:not([open])").count() == 0
    found.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert found.page.locator(".incident:not([open])").count() == 15


CONTRAST = """() => {
  const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map(channel);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const element of document.querySelectorAll("body *:not(script)")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (!element.getClientRects().length || element.closest("title, .skip")) continue;
    const own = element instanceof SVGElement ? "fill" : "color";
    const [a, b] = [light(getComputedStyle(element)[own]), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${element.tagName} ${element.className} ${element.textContent}: ${ratio}`);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("make", [lambda: fleet(20, 3), nothing_checked])
def test_all_text_can_be_read_against_its_ground(opened: Opener, make: type[Analysis], scheme: str) -> None:
    found = opened(make(), scheme=scheme)
    assert found.page.evaluate(CONTRAST) == []
