"""Where an agent serves without being told who may ask, and where it refuses to."""

from pathlib import Path

import pytest
from hopwatch_agent.errors import SettingsError
from hopwatch_agent.settings.sections import AccessSettings, ListenSettings
from hopwatch_api.listening import listening, place_of

LOOPBACK = ["127.0.0.1", "127.8.9.10", "localhost", "::1", "::ffff:127.0.0.1"]
BEYOND = ["0.0.0.0", "::", "::ffff:0.0.0.0", "::ffff:10.0.0.1", "10.0.0.1", "fe80::1", "0", "2130706434000"]  # noqa: S104


@pytest.mark.parametrize("host", LOOPBACK)
def test_on_loopback_nobody_has_to_prove_anything(host: str) -> None:
    place = place_of(ListenSettings(host, 0), AccessSettings())

    assert place.is_loopback


@pytest.mark.parametrize("host", BEYOND)
def test_beyond_loopback_it_refuses_without_a_token(host: str) -> None:
    with pytest.raises(SettingsError, match=r"refusing to serve other hosts|cannot listen"):
        place_of(ListenSettings(host, 0), AccessSettings())


@pytest.mark.parametrize(
    "access",
    [
        AccessSettings(token="x" * 20),
        AccessSettings(token_file=Path("x")),
        AccessSettings(insecure=True),
        AccessSettings(open_to_others="probes"),
    ],
)
def test_a_token_or_what_is_said_to_be_open_opens_every_address(access: AccessSettings) -> None:
    place = place_of(ListenSettings("0.0.0.0", 0), access)  # noqa: S104

    with listening(place) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"  # noqa: S104


def test_all_of_ipv6_takes_ipv4_too() -> None:
    import socket

    place = place_of(ListenSettings("::", 0), AccessSettings(insecure=True))
    with (
        listening(place) as listener,
        socket.create_connection(("127.0.0.1", listener.getsockname()[1]), timeout=5),
    ):
        accepted, address = listener.accept()
        accepted.close()
    assert address[0] == "::ffff:127.0.0.1"


def test_a_name_that_leads_nowhere_is_told() -> None:
    with pytest.raises(SettingsError, match=r"cannot listen on nowhere\.invalid:1"):
        place_of(ListenSettings("nowhere.invalid", 1), AccessSettings())


def test_a_port_that_is_taken_is_told_once_with_what_to_do() -> None:
    place = place_of(ListenSettings("127.0.0.1", 0), AccessSettings())
    with listening(place) as taken:
        port = taken.getsockname()[1]
        again = place_of(ListenSettings("127.0.0.1", port), AccessSettings())
        with pytest.raises(SettingsError) as refused, listening(again):
            pass
    assert str(refused.value) == (
        f"cannot listen on 127.0.0.1:{port}: Address already in use: perhaps an agent runs there already; "
        "else choose another place with --listen HOST:PORT"
    )
