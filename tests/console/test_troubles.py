"""An agent that gives no answer: what happened, and what to do next, each against the real thing."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from agent_process import AgentProcess
from certificates import Authority
from console_command import Starting, hopwatch, without_hopwatch
from hopwatch_console.addresses import address_in, addresses_in
from hopwatch_console.arguments import Rights
from hopwatch_console.asking.client import AgentClient
from hopwatch_console.errors import AgentError

SHOWN = "HOPWATCH_TOKEN"
KNOWN = "correct-horse-battery"


def trouble(url: str, *arguments: object, **variables: str) -> dict[str, str]:
    """Why the one agent did not answer, as a program reads it."""
    run = hopwatch("status", "--json", "--agent", url, *arguments, **variables)
    assert (run.returncode, run.stderr) == (1, "")
    (agent,) = json.loads(run.stdout)["agents"]
    assert agent["answered"] is False
    told: dict[str, str] = agent["trouble"]
    return told


def test_where_nobody_listens_an_agent_is_to_be_started() -> None:
    place = "127.0.0.1:1"
    told = trouble(f"http://{place}")
    assert told["kind"] == "nobody_listens"
    assert told["advice"] == f"Start one: hopwatch agent --listen {place}"
    words = hopwatch("status", "--agent", place).stdout
    assert words == f"http://{place}: no answer\n  {told['text']}\n  → {told['advice']}\n"


def test_a_name_that_leads_nowhere() -> None:
    # it is the resolver that gives up, and soon, also where no name server answers
    hurried = {"RES_OPTIONS": "timeout:1 attempts:1"}
    told = trouble("http://no-such-host.invalid:8735", "--timeout", 60, **hurried)
    assert told["kind"] == "name_not_resolved"
    assert "no-such-host.invalid" in told["text"]


def test_tls_against_a_plain_port_and_the_reverse(
    plain_agent: AgentProcess, starting: Starting, authority: Authority
) -> None:
    made = authority.certificate("agent")
    secure = starting(tls_cert=made.cert, tls_key=made.key)
    no_tls = trouble(plain_agent.url.replace("http:", "https:"))
    assert no_tls["kind"] == "no_tls"
    assert plain_agent.url in no_tls["advice"]
    only_tls = trouble(secure.url.replace("https:", "http:"))
    assert only_tls["kind"] == "only_tls"
    assert secure.url in only_tls["advice"]


def test_a_certificate_of_an_authority_that_is_not_known_and_then_is(
    starting: Starting, authority: Authority
) -> None:
    made = authority.certificate("agent")
    agent = starting(tls_cert=made.cert, tls_key=made.key)
    told = trouble(agent.url)
    assert told["kind"] == "certificate_unknown"
    assert "--ca" in told["advice"]
    assert hopwatch("status", "--agent", agent.url, "--ca", authority.cert).returncode == 0


def test_a_client_certificate_that_is_asked_for(
    starting: Starting, authority: Authority, tmp_path: Path
) -> None:
    made = authority.certificate("agent")
    agent = starting(tls_cert=made.cert, tls_key=made.key, tls_client_ca=authority.cert)
    told = trouble(agent.url, "--ca", authority.cert)
    assert told["kind"] == "certificate_missing"
    assert "--cert and --key" in told["advice"]
    other = tmp_path / "other"
    other.mkdir()
    strange = Authority(other).certificate("stranger")
    refused = trouble(agent.url, "--ca", authority.cert, "--cert", strange.cert, "--key", strange.key)
    assert refused["kind"] in {"certificate_refused", "gone"}
    mine = authority.certificate("client")
    right = ("--ca", authority.cert, "--cert", mine.cert, "--key", mine.key)
    assert hopwatch("status", "--agent", agent.url, *right).returncode == 0


def test_a_token_that_is_missing_wrong_or_right(starting: Starting, token_file: Path) -> None:
    agent = starting(token=KNOWN)
    missing = trouble(agent.url)
    assert missing["kind"] == "token_missing"
    assert "HOPWATCH_TOKEN" in missing["advice"]
    wrong = trouble(agent.url, **{SHOWN: "of-another-agent"})
    assert wrong["kind"] == "token_wrong"
    assert "HOPWATCH_AGENT_TOKEN" in wrong["advice"]
    token_file.write_text(f"{KNOWN}\n")
    assert hopwatch("status", "--agent", agent.url, "--token-file", token_file).returncode == 0
    assert hopwatch("status", "--agent", agent.url, HOPWATCH_TOKEN=KNOWN).returncode == 0


def test_a_name_that_the_agent_does_not_go_by(plain_agent: AgentProcess) -> None:
    told = trouble(plain_agent.url.replace("127.0.0.1", socket.gethostname()))
    assert told["kind"] == "host_name"
    assert f"--allowed-hosts {socket.gethostname()}" in told["advice"]


def test_one_that_takes_the_connection_and_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        run = hopwatch("status", "--agent", url, "--timeout", "0.2", "--json")
    (agent,) = json.loads(run.stdout)["agents"]
    assert (run.returncode, agent["trouble"]["kind"]) == (1, "timeout")
    assert "0.2 s" in agent["trouble"]["text"]


@contextmanager
def another_service(body: bytes, kind: str, **headers: str) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            for name, value in {"Content-Type": kind, **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- its name there
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html>welcome</html>", "text/html"),
        (b'{"status": "green"}', "application/json"),
        (b"[]", "application/json"),
        (b"\xff\xfe\x00", "application/octet-stream"),
    ],
)
def test_another_service_is_no_agent(body: bytes, kind: str) -> None:
    with another_service(body, kind) as url:
        told = trouble(url)
    assert told["kind"] == "not_an_agent"
    assert url in told["text"]


def test_one_that_has_no_such_path_is_no_agent(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", tmp_path],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().split(" port ")[1].split()[0]
        told = trouble(f"http://127.0.0.1:{port}")
        server.kill()
    assert told["kind"] == "not_an_agent"


def test_what_is_no_http_at_all() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            for _ in range(3):
                client, _ = server.accept()
                with client:
                    client.recv(1000)
                    client.sendall(b"220 mail ready\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        run = hopwatch("status", "--agent", f"127.0.0.1:{server.getsockname()[1]}", "--json")
    (agent,) = json.loads(run.stdout)["agents"]
    assert agent["trouble"]["kind"] == "gone"


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["--agent", "ftp://box"], {}, "begins with http:// or https://"),
        (["--agent", "http://box:port"], {}, "no address of an agent"),
        (["--agent", "http://"], {}, "names no host"),
        (["--agent", "http://[zz]"], {}, "no address of an agent"),
        (["--agent", "http://box/v1/status"], {}, "ends after the port"),
        (["--agent", "http://me:secret@box"], {}, "HOPWATCH_TOKEN"),
        ([], {"HOPWATCH_AGENTS": "http://one, two three"}, "no address of an agent"),
        (["--token-file", "/nowhere/token"], {}, "cannot be read"),
        ([], {"HOPWATCH_TOKEN": "two words"}, "HOPWATCH_TOKEN is no token"),
        (["--key", "/dev/null"], {}, "--cert"),
        (["--ca", "/nowhere/ca.pem"], {}, "--ca /nowhere/ca.pem cannot be read"),
        (["--agent", "https://127.0.0.1:1", "--ca", "/dev/null"], {}, "no certificate in PEM"),
        (["--timeout", "-1"], {}, "no number of seconds above 0"),
        (["--fail-on", "everything"], {}, "losing, pressed, lost"),
    ],
)
def test_wrong_usage_says_what_to_give_and_ends_with_2(
    arguments: list[str], variables: dict[str, str], said: str
) -> None:
    run = hopwatch("status", *arguments, **variables)
    assert (run.returncode, run.stdout) == (2, "")
    assert said in run.stderr
    assert "secret" not in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("box-1", "http://box-1:8735"),
        (" https://box-1/ ", "https://box-1:8735"),
        ("127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("http://[::1]:9000", "http://[::1]:9000"),
        ("HTTP://Box-1", "http://box-1:8735"),
    ],
)
def test_addresses_are_read_as_people_write_them(written: str, url: str) -> None:
    assert address_in(written).url == url
    assert address_in(address_in(written).url) == address_in(written)


def test_agents_named_twice_are_asked_once_and_flags_come_before_the_variable() -> None:
    assert [address.host for address in addresses_in(["a", "b", "http://a:8735"], "c")] == ["a", "b"]
    assert [address.host for address in addresses_in([], "c, d,")] == ["c", "d"]
    assert [address.url for address in addresses_in([], " ")] == ["http://127.0.0.1:8735"]


def test_a_next_page_at_another_host_is_not_asked_for_since_the_token_would_go_there() -> None:
    with another_service(b"[]", "application/json") as theirs:
        link = f'<{theirs}/v1/sockets?cursor=x>; rel="next"'
        with another_service(b"[]", "application/json", Link=link) as url:
            client = AgentClient(address_in(url), Rights(token=KNOWN), 5.0)
            with pytest.raises(AgentError, match="another host"):
                asyncio.run(client.sockets())


def test_an_agent_of_another_version_is_still_shown(tmp_path: Path) -> None:
    """An agent that is older or newer tells its version, and what it does not tell is done without."""
    older = tmp_path / "older"
    older.mkdir()
    (older / "sitecustomize.py").write_text("import hopwatch.version\nhopwatch.version.VERSION = '0.0.9'\n")
    agent = AgentProcess(tmp_path, {**without_hopwatch(), "PYTHONPATH": str(older)})
    agent.start()
    try:
        run = hopwatch("status", "--agent", agent.url, "--timeout", "60")
    finally:
        agent.kill()
    assert run.returncode == 0
    assert "hopwatch 0.0.9 (here: 0.1.0)" in run.stdout
