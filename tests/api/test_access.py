"""Who may ask an agent, by which name, and what everyone may."""

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import plain_http
import pytest
from agent_process import AgentProcess, eventually
from certificates import Authority, Certificate
from namespaces import SENDER, Wire, inside, missing, wire

KNOWN = "correct-horse-battery"
NEXT = "a-token-of-tomorrow"
Starting = Callable[..., AgentProcess]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[Starting]:
    """Starts an agent with settings of the environment; in a namespace, if one is named, to be asked at all of its addresses."""
    started: list[AgentProcess] = []

    def start(namespace: str = "", **settings: object) -> AgentProcess:
        variables = {f"HOPWATCH_AGENT_{name.upper()}": str(value) for name, value in settings.items()}
        others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
        agent = AgentProcess(tmp_path, {**others, **variables})
        started.append(agent)
        if namespace:
            agent.before = inside(namespace)
        agent.start(*(("--listen", "0.0.0.0:0") if namespace else ()))
        return agent

    yield start
    for agent in started:
        agent.kill()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentProcess]:
    """An agent that asks for a token."""
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path_factory.mktemp("guarded"), {**others, "HOPWATCH_AGENT_TOKEN": KNOWN})
    agent.start()
    yield agent
    agent.kill()


def test_with_a_token_only_health_and_the_empty_page_are_open_and_they_leak_nothing(
    guarded: AgentProcess,
) -> None:
    for path in (
        "/v1/status",
        "/v1/events",
        "/docs",
        "/openapi.json",
        "/metrics",
        "/nowhere",
        "/healthz/",
    ):
        answer = plain_http.get(guarded.url + path)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (
            401,
            'Bearer realm="hopwatch agent"',
        )
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json() == {
            "type": "tag:hopwatch.dev,2026:token-needed",
            "title": "A token is needed",
            "status": 401,
            "detail": "send the agent's token: Authorization: Bearer ...",
        }
    eventually(lambda: plain_http.get(guarded.url + "/readyz").status_code == 200)
    assert plain_http.get(guarded.url + "/healthz").json() == {"ok": True, "reason": None}
    answer = plain_http.get(guarded.url + "/v1/status", headers=bearer(KNOWN))
    assert "(not shown)" in answer.json()["settings"]["token"]
    assert KNOWN not in answer.text


@pytest.mark.parametrize(
    "header", [f"Bearer {KNOWN}x", f"Bearer {KNOWN[:-1]}", "Bearer", f"Basic {KNOWN}", KNOWN, "Bearer \xfc"]
)
def test_no_other_header_opens_it(guarded: AgentProcess, header: str) -> None:
    headers = {"Authorization": header.encode("latin-1")}
    assert plain_http.get(guarded.url + "/v1/status", headers=headers).status_code == 401


def test_the_scheme_may_be_written_otherwise(guarded: AgentProcess) -> None:
    assert (
        plain_http.get(guarded.url + "/v1/status", headers={"Authorization": f"bEARER {KNOWN}"}).status_code
        == 200
    )


def test_a_token_file_that_is_replaced_holds_at_once(starting: Starting, tmp_path: Path) -> None:
    file = tmp_path / "secret" / "token"
    file.parent.mkdir()
    # as Kubernetes does it: the name is a link, which is made to lead elsewhere
    (tmp_path / "secret" / "old").write_text(KNOWN + "\n")
    (tmp_path / "secret" / "new").write_text(NEXT + "\n")
    file.symlink_to("old")
    agent = starting(token_file=file)
    assert plain_http.get(agent.url + "/v1/status", headers=bearer(KNOWN)).status_code == 200

    (tmp_path / "secret" / "next").symlink_to("new")
    (tmp_path / "secret" / "next").rename(file)

    assert plain_http.get(agent.url + "/v1/status", headers=bearer(NEXT)).status_code == 200
    assert plain_http.get(agent.url + "/v1/status", headers=bearer(KNOWN)).status_code == 401

    (tmp_path / "secret" / "new").write_text("")

    def problem() -> str:
        errors = plain_http.get(agent.url + "/v1/status", headers=bearer(NEXT)).json()["errors"]
        return next((error["text"] for error in errors if error["source"] == "token"), "")

    assert "too short" in eventually(problem)
    assert "read last goes on to hold" in problem()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8735", 200),
        ("LOCALHOST.", 200),
        ("127.0.0.1", 200),
        ("10.1.2.3:8735", 200),  # the kubelet and Prometheus ask a pod by its address
        ("[::1]:8735", 200),
        ("[fd00::7]", 200),
        ("metrics.internal", 200),
        ("attacker.example", 421),
        ("localhost.attacker.example", 421),
        ("127.0.0.1.attacker.example", 421),
        ("", 421),
    ],
)
def test_it_answers_by_its_own_names_and_addresses_alone(
    agent_with_a_name: AgentProcess, host: str, status: int
) -> None:
    url = agent_with_a_name.url
    assert plain_http.get(url + "/v1/status", headers={"Host": host}).status_code == status
    assert plain_http.get(url + "/healthz", headers={"Host": host}).status_code == 200


@pytest.fixture(scope="module")
def agent_with_a_name(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentProcess]:
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(
        tmp_path_factory.mktemp("named"), others, "--allowed-hosts", "metrics.internal, x.example"
    )
    agent.start()
    yield agent
    agent.kill()


def test_every_answer_tells_browsers_to_be_careful_and_lets_no_other_site_read(
    agent_with_a_name: AgentProcess,
) -> None:
    answer = plain_http.get(
        agent_with_a_name.url + "/v1/status", headers={"Origin": "http://attacker.example"}
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "server" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control-")]


def secure(authority: Authority, client: Certificate | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(authority.cert))
    if client is not None:
        context.load_cert_chain(client.cert, client.key)
    return context


def test_tls_takes_up_a_renewed_certificate_and_keeps_the_old_one_if_the_new_is_none(
    starting: Starting, authority: Authority, tmp_path: Path
) -> None:
    first, second = authority.certificate("first"), authority.certificate("second")
    cert, key = tmp_path / "tls.pem", tmp_path / "tls.key"
    cert.write_bytes(first.cert.read_bytes())
    key.write_bytes(first.key.read_bytes())
    agent = starting(tls_cert=cert, tls_key=key)

    def served() -> str:
        with (
            httpx.Client(verify=secure(authority)) as client,
            client.stream("GET", agent.url + "/healthz") as answer,
        ):
            tls = answer.extensions["network_stream"].get_extra_info("ssl_object")
            return str(dict(part[0] for part in tls.getpeercert()["subject"])["commonName"])

    assert agent.url.startswith("https://")
    assert served() == "first"
    cert.write_bytes(second.cert.read_bytes())  # not yet the key: these two do not fit

    def problem() -> str:
        with httpx.Client(verify=secure(authority)) as client:
            errors = client.get(agent.url + "/v1/status").json()["errors"]
        return next((error["text"] for error in errors if error["source"] == "tls"), "")

    assert "goes on to be used" in eventually(problem)
    assert served() == "first"
    key.write_bytes(second.key.read_bytes())
    eventually(lambda: served() == "second")
    assert not problem()

    old = secure(authority)
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with httpx.Client(verify=old) as client:
        assert client.get(agent.url + "/healthz").status_code == 200


def test_older_tls_is_refused(starting: Starting, authority: Authority) -> None:
    made = authority.certificate("old")
    agent = starting(tls_cert=made.cert, tls_key=made.key)
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.load_verify_locations(authority.cert)
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match=r"TLSv1_1 is deprecated"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with (
        httpx.Client(verify=old) as client,
        pytest.raises(httpx.ConnectError, match=r"(?i)alert|version|protocol"),
    ):
        client.get(agent.url + "/healthz")


def test_client_certificates_are_asked_for_and_health_goes_without(
    starting: Starting, authority: Authority
) -> None:
    made = authority.certificate("agent")
    agent = starting(tls_cert=made.cert, tls_key=made.key, tls_client_ca=authority.cert)
    with httpx.Client(verify=secure(authority, authority.certificate("client"))) as known:
        assert known.get(agent.url + "/v1/status").status_code == 200
    with httpx.Client(verify=secure(authority)) as unknown:
        assert unknown.get(agent.url + "/v1/status").status_code == 403
        assert unknown.get(agent.url + "/healthz").status_code == 200


ASK = """
import http.client, json, sys
host, port, token, source, *paths = sys.argv[1:]
def status(path):
    connection = http.client.HTTPConnection(host, int(port), timeout=10, source_address=(source, 0) if source else None)
    connection.request("GET", path, headers={"Authorization": "Bearer " + token} if token else {})
    return connection.getresponse().status
print(json.dumps({path: status(path) for path in paths}))
"""
AN_AGENT_MORE = pytest.mark.extended("an agent each; with a token as well, the others show the same")
PATHS = ("/healthz", "/readyz", "/metrics", "/v1/status", "/docs")
needs_namespaces = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def answers(
    namespace: str, host: str, agent: AgentProcess, token: str = "", source: str = ""
) -> dict[str, int]:
    """The status of each path's answer to somebody in a namespace, who calls from the source, if one is named."""
    command = [sys.executable, "-c", ASK, host, agent.url.rpartition(":")[2], token, source, *PATHS]
    said = subprocess.run([*inside(namespace), *command], capture_output=True, text=True, check=True)
    told: dict[str, int] = json.loads(said.stdout)
    return told


@pytest.fixture
def link() -> Iterator[Wire]:
    with wire() as made:
        yield made


@needs_namespaces
@pytest.mark.parametrize(
    ("settings", "opened"),
    [
        pytest.param({"open_to_others": "probes"}, {"/healthz", "/readyz"}, marks=AN_AGENT_MORE),
        pytest.param({"open_to_others": "metrics"}, {"/healthz", "/readyz", "/metrics"}, marks=AN_AGENT_MORE),
        ({"open_to_others": "metrics", "token": KNOWN}, {"/healthz", "/readyz", "/metrics"}),
        ({"token": KNOWN}, {"/healthz", "/readyz"}),
        ({"insecure": "true"}, set(PATHS)),
    ],
)
def test_other_hosts_get_what_is_open_to_them_and_no_more(
    starting: Starting, link: Wire, settings: dict[str, str], opened: set[str]
) -> None:
    agent = starting(link.sender, **settings)
    eventually(lambda: answers(link.receiver, SENDER, agent)["/readyz"] == 200)
    refused = 401 if "token" in settings else 403
    expected = {path: 200 if path in opened else refused for path in PATHS}
    assert answers(link.receiver, SENDER, agent) == expected
    if "token" in settings:
        assert set(answers(link.receiver, SENDER, agent, KNOWN).values()) == {200}


@needs_namespaces
def test_on_its_own_host_all_is_answered_that_is_closed_to_others(starting: Starting, link: Wire) -> None:
    agent = starting(link.sender, open_to_others="probes")
    eventually(lambda: set(answers(link.sender, "127.0.0.1", agent).values()) == {200})
    # by another address of this host it is as any other host's
    assert answers(link.sender, SENDER, agent)["/v1/status"] == 403


@needs_namespaces
def test_who_calls_another_address_from_loopback_is_another_host(starting: Starting, link: Wire) -> None:
    agent = starting(link.sender, open_to_others="probes")
    eventually(lambda: answers(link.sender, SENDER, agent)["/readyz"] == 200)
    assert answers(link.sender, SENDER, agent, source="127.0.0.6")["/v1/status"] == 403
    assert answers(link.sender, "127.0.0.1", agent, source="127.0.0.6")["/v1/status"] == 200
