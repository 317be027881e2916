"""The page holds nothing secret and asks for a token where the agent does; it lets nobody run anything in it."""

import re
from contextlib import ExitStack
from pathlib import Path

import plain_http
import pytest
from agent_process import AgentProcess, eventually
from hopwatch_api.live import CLIENTS
from journal_writer import JournalWriter
from live_page import LivePage, in_detail
from playwright.sync_api import expect
from written_sockets import WrittenSockets

HOSTILE = '"><img src=x onerror=alert(1)><script>document.title="owned"</script>\u202e\x1b[31m'
SHOWN = "open-sesame-please-this-once"


@pytest.fixture
def guarded(agent: AgentProcess) -> AgentProcess:
    agent.terminate()
    agent.set("HOPWATCH_AGENT_TOKEN", SHOWN)
    agent.token = SHOWN
    agent.start()
    return agent


def test_an_agent_with_a_token_is_asked_with_the_one_that_is_typed(guarded: AgentProcess, browser) -> None:
    context = browser.new_context()
    live = LivePage(context.new_page(), guarded.url)
    live.page.goto(live.url)
    asked = live.page.locator("dialog#token")
    expect(asked).to_contain_text("to whoever has it")
    live.page.locator("#token-value").fill("a wrong one")
    with live.page.expect_response(lambda answer: "/v1/live" in answer.url and answer.status == 401):
        live.page.keyboard.press("Enter")
    expect(asked).to_contain_text("The token that was shown is not this agent's.")
    expect(live.page.locator("#token-value")).to_have_accessible_description(
        "The token that was shown is not this agent's."
    )
    live.page.locator("#token-value").fill(SHOWN)
    live.page.keyboard.press("Enter")
    expect(live.link).to_have_text("live")
    live.page.reload()
    expect(live.link).to_have_text("live")
    expect(live.page.locator("#docs-link")).to_be_hidden()  # which would show no token
    expect(live.page.locator("#about")).to_contain_text(
        "docs describes the HTTP interface, for whoever shows the token"
    )
    assert (live.complaints, live.asked_for) == ([], [])
    context.close()


@in_detail
def test_what_no_token_can_hold_is_not_taken_for_one(guarded: AgentProcess, browser) -> None:
    with browser.new_context() as context:
        live = LivePage(context.new_page(), guarded.url)
        live.page.goto(live.url)
        live.page.locator("#token-value").fill(SHOWN + "\u200b")
        live.page.keyboard.press("Enter")
        expect(live.page.locator("dialog#token")).to_contain_text(
            "something else in it, which may not be seen"
        )
        live.page.locator("#token-value").fill(f" {SHOWN} ")
        live.page.keyboard.press("Enter")
        expect(live.link).to_have_text("live")


@in_detail
def test_who_gives_no_token_is_not_asked_time_and_again(guarded: AgentProcess, browser) -> None:
    with browser.new_context() as context:
        live = LivePage(context.new_page(), guarded.url)
        live.page.goto(live.url)
        asked, button = (
            live.page.locator("dialog#token"),
            live.page.get_by_role("button", name="Give the token"),
        )
        expect(asked).to_be_visible()
        expect(live.link).to_contain_text("agent refuses since")
        live.page.keyboard.press("Escape")
        with live.page.expect_response(lambda answer: "/v1/live" in answer.url and answer.status == 401):
            expect(button).to_be_visible()
        expect(asked).to_be_hidden()
        button.click()
        live.page.locator("#token-value").fill(SHOWN)
        live.page.keyboard.press("Enter")
        expect(live.link).to_have_text("live")
        expect(button).to_be_hidden()


@in_detail
def test_a_token_that_is_renewed_while_somebody_looks_is_asked_for(
    agent: AgentProcess, browser, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(SHOWN)
    agent.terminate()
    agent.set("HOPWATCH_AGENT_TOKEN_FILE", str(file))
    agent.token = SHOWN
    agent.start()
    with browser.new_context() as context:
        live = LivePage(context.new_page(), agent.url)
        live.page.goto(live.url)
        live.page.locator("#token-value").fill(SHOWN)
        live.page.keyboard.press("Enter")
        expect(live.link).to_have_text("live")
        file.write_text(SHOWN + "-renewed")
        agent.token = SHOWN + "-renewed"
        eventually(
            lambda: (
                plain_http.get(
                    f"{agent.url}/v1/status", headers={"authorization": f"Bearer {agent.token}"}
                ).status_code
                == 200
            )
        )
        WrittenSockets(agent.journal).open("quotes", "PUB")  # a list has changed
        expect(live.page.locator("dialog#token")).to_contain_text("is not this agent's")
        live.page.locator("#token-value").fill(agent.token)
        live.page.keyboard.press("Enter")
        expect(live.link).to_have_text("live")
        expect(live.row("quotes")).to_have_count(1)


@in_detail
def test_who_is_refused_for_another_reason_is_told_it_and_asked_for_no_token(
    agent: AgentProcess, browser
) -> None:
    with ExitStack() as watching:
        kept = []
        for _ in range(CLIENTS):
            answer = watching.enter_context(plain_http.stream("GET", f"{agent.url}/v1/live", timeout=20))
            kept.append(answer.iter_lines())  # which closes its answer when it goes
            assert next(kept[-1]) == "event: live"
        context = watching.enter_context(browser.new_context())
        live = LivePage(context.new_page(), agent.url)
        live.page.goto(live.url)
        expect(live.link).to_have_text(
            re.compile(r"^agent refuses since [\d:]{8} UTC \(as many watch as may.* close a page")
        )
        expect(live.verdict).to_contain_text("the agent refuses to tell since")
        expect(live.page.locator("dialog#token")).to_be_hidden()
        answer.close()
        expect(live.link).to_have_text("live")


def test_a_browser_that_keeps_nothing_for_the_page_shows_it_all_the_same(
    silent_agent: AgentProcess, browser
) -> None:
    with browser.new_context() as context:
        for kind in ("localStorage", "sessionStorage"):
            context.add_init_script(
                f"Object.defineProperty(window, '{kind}', {{ get() {{ throw new DOMException('kept out', 'SecurityError'); }} }})"
            )
        live = LivePage(context.new_page(), silent_agent.url).open()
        switch = live.page.get_by_label("single keys do this")
        live.page.keyboard.press("?")
        expect(switch).to_be_checked()
        switch.uncheck()
        live.page.keyboard.press("Escape")
        live.page.keyboard.press("?")
        expect(switch).to_be_hidden()
        assert live.complaints == []


def test_without_a_token_the_interface_is_linked_to(silent_agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(silent_agent)
    live.page.locator("#docs-link").click()
    expect(live.page.locator("body")).to_contain_text("/v1/sockets")


def test_the_page_itself_is_served_without_a_token_and_what_it_shows_is_not(guarded: AgentProcess) -> None:
    answers = {
        path: plain_http.get(guarded.url + path).status_code
        for path in ("/", "/page/js/main.js", "/v1/sockets")
    }
    assert answers == {"/": 200, "/page/js/main.js": 200, "/v1/sockets": 401}
    assert plain_http.get(guarded.url, headers={"host": "evil.example"}).status_code == 421
    for path in ("/page/../guard.py", "/page/%2e%2e/guard.py", "/page/", "/page/js"):
        assert (
            plain_http.get(guarded.url + path, headers={"authorization": f"Bearer {SHOWN}"}).status_code
            == 404
        )


def test_a_browser_may_run_its_files_alone_and_ask_anew_whether_they_changed(
    silent_agent: AgentProcess,
) -> None:
    page = plain_http.get(silent_agent.url)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["cache-control"] == "no-cache"
    script = plain_http.get(f"{silent_agent.url}/page/js/main.js")
    assert "javascript" in script.headers["content-type"]
    again = plain_http.get(
        f"{silent_agent.url}/page/js/main.js", headers={"if-none-match": script.headers["etag"]}
    )
    assert again.status_code == 304


def test_what_journals_say_is_shown_as_text(agent: AgentProcess, open_page) -> None:
    writer = JournalWriter(agent.journal)
    writer.opened("00000000000000a1", name=HOSTILE)
    writer.event("finding", socket="00000000000000a1", rule=HOSTILE, text=HOSTILE, advice=HOSTILE)
    writer.event("bind", socket="00000000000000a1", endpoint=HOSTILE)
    live: LivePage = open_page(agent, "#socket=00000000000000a1")
    expect(live.page.locator("dialog#socket h2")).to_contain_text("<script>")
    expect(live.page.locator(".finding")).to_contain_text("<img src=x")
    assert live.page.locator("img, #table script, dialog script").count() == 0
    expect(live.page).to_have_title("quiet · box-1 · hopwatch")
    writer.close()


@in_detail
def test_names_do_not_turn_what_is_said_of_them(agent: AgentProcess, open_page) -> None:
    sockets = WrittenSockets(agent.journal)
    sockets.open("\u202equotes", "PUB")
    sockets.open("\u202escreen", "SUB")
    live: LivePage = open_page(agent)
    sockets.lack("\u202escreen", "\u202equotes", 5, 9)
    expect(live.verdict.locator("bdi")).to_have_text("\u202escreen")
    gap = live.page.locator("#feed [data-kind=gap]")
    expect(gap.locator("bdi")).to_have_text(["\u202escreen", "\u202equotes"])
    outside = "place => [...place.querySelectorAll('*')].filter(part => part.tagName !== 'BDI' && [...part.childNodes].some(node => node instanceof Text && node.data.includes('\u202e'))).map(part => part.outerHTML)"
    for place in (live.page.locator("header"), live.page.locator("#events"), live.page.locator("#incidents")):
        assert place.evaluate(outside) == []
    sockets.close()
