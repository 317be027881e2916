"""Where the agent's settings come from, and what is said of those that cannot be used."""

from pathlib import Path

import pytest
from hopwatch_agent.errors import SettingsError
from hopwatch_agent.settings.flags import described
from hopwatch_agent.settings.options import Options
from hopwatch_agent.settings.sections import settings_from
from hopwatch_agent.settings.sources import options_from
from hopwatch_agent.settings.telling import told


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "agent.toml"
    path.write_text('land_seconds = 7\nland_rows = 70\nlisten = "127.0.0.1:7"\n')
    return path


def test_a_flag_comes_before_the_environment_and_that_before_the_file(file: Path) -> None:
    environ = {
        "HOPWATCH_AGENT_CONFIG": str(file),
        "HOPWATCH_AGENT_LAND_SECONDS": "8",
        "HOPWATCH_AGENT_LAND_ROWS": "80",
    }

    options = options_from(environ, {"land_seconds": "9", "land_rows": None})

    assert (options.land_seconds, options.land_rows, options.listen) == (9.0, 80, "127.0.0.1:7")


def test_the_journal_directory_of_the_environment_is_the_one_of_the_instrumentation(tmp_path: Path) -> None:
    options = options_from({"HOPWATCH_DIR": str(tmp_path / "journal")}, {})

    settings = settings_from(options, {})

    assert settings.journal.directory == tmp_path / "journal"
    assert settings.data == tmp_path / "journal-data"


@pytest.mark.parametrize(
    ("environ", "flags", "text"),
    [
        ({"HOPWATCH_AGENT_LANDS": "x"}, {}, "HOPWATCH_AGENT_LANDS is no setting of the agent; did you mean"),
        ({"HOPWATCH_AGENT_DIR": "x"}, {}, "HOPWATCH_AGENT_DIR is no setting of the agent"),
        (
            {"HOPWATCH_AGENT_LAND_SECONDS": "soon"},
            {},
            "HOPWATCH_AGENT_LAND_SECONDS is 'soon': expected float",
        ),
        ({"HOPWATCH_AGENT_LAND_SECONDS": "nan"}, {}, "HOPWATCH_AGENT_LAND_SECONDS is 'nan'"),
        ({}, {"land_seconds": "0"}, "--land-seconds is '0': expected float > 0.0"),
        ({}, {"log_level": "loud"}, "--log-level is 'loud': invalid enum value 'loud'"),
        ({}, {"config": "/nowhere/a.toml"}, "cannot read the settings in /nowhere/a.toml: No such file"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name_and_place(
    environ: dict[str, str], flags: dict[str, str | bool | None], text: str
) -> None:
    with pytest.raises(SettingsError) as error:
        options_from(environ, flags)

    assert str(error.value).startswith(text)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("land_second = 5", "land_second is no setting of the agent; did you mean land_seconds?"),
        ('land_seconds = "5"', "land_seconds is '5': expected float, got str"),
        ("land_seconds == 5", "is not TOML: Invalid value (at line 1"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_is_wrong(
    tmp_path: Path, content: str, text: str
) -> None:
    file = tmp_path / "agent.toml"
    file.write_text(content)

    with pytest.raises(SettingsError) as error:
        options_from({}, {"config": str(file)})

    assert str(error.value).startswith(str(file))
    assert text in str(error.value)


def test_what_kubernetes_says_of_a_service_named_hopwatch_agent_is_no_setting() -> None:
    environ = {
        "HOPWATCH_AGENT_SERVICE_HOST": "10.0.0.1",
        "HOPWATCH_AGENT_SERVICE_PORT_HTTP": "8735",
        "HOPWATCH_AGENT_INJECTOR_SERVICE_HOST": "10.0.0.2",
        "HOPWATCH_AGENT_INJECTOR_PORT": "tcp://10.0.0.2:443",
        "HOPWATCH_AGENT_INJECTOR_PORT_443_TCP_ADDR": "10.0.0.2",
        "HOPWATCH_AGENT_PORT": "tcp://10.0.0.1:8735",
        "HOPWATCH_AGENT_PORT_8735_TCP_ADDR": "10.0.0.1",
    }

    assert options_from(environ, {}) == Options()


def test_what_is_told_of_the_settings_holds_no_secret() -> None:
    lines = told(Options(land="s3://key:secret@bucket/folder"))

    assert 'land = "s3://bucket/folder"' in lines


def test_the_readme_lists_every_setting_as_it_is_declared() -> None:
    readme = (Path(__file__).parents[2] / "agent" / "README.md").read_text()
    wanted = [f"| `{variable}` | {default} | {what} |" for variable, default, what in described()]

    missing = [line for line in wanted if line not in readme]

    assert not missing, "agent/README.md, 'The agent's settings', lacks:\n" + "\n".join(missing)


def test_where_kubernetes_says_that_this_is_a_pod_processes_are_in_containers_of_their_own() -> None:
    assert not settings_from(Options(), {}).journal.of_a_pod
    assert settings_from(Options(), {"K8S_POD_NAME": "feed-0"}).journal.of_a_pod
