"""What is in the images, and what is not: looked at in containers of them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from podman import REPOSITORY, image, podman

pytestmark = pytest.mark.extended("images are built, and a cold Spark is started in them: minutes")

NAMES = ("instrumentation", "agent", "analysis")
LOCKED = ("--rm", "--network", "none", "--read-only", "--cap-drop", "all", "--passwd=false")
INSTALLED = (
    "import importlib.metadata as m; print(*{f'{d.name}=={d.version}' for d in m.distributions()}, sep='\\n')"
)


def python_in(name: str, program: str, user: str = "65532") -> str:
    command = ("--user", user, "--entrypoint", "python", image(name), "-c", program)
    return podman("run", *LOCKED, *command).stdout


def pinned() -> set[str]:
    lines = (REPOSITORY / "images" / "constraints.txt").read_text().splitlines()
    return {normal(line) for line in lines}


def normal(requirement: str) -> str:
    name, _, version = requirement.partition("==")
    return f"{re.sub('[-_.]+', '-', name).lower()}=={version}"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_them_runs_as_root(name: str) -> None:
    (about,) = json.loads(podman("image", "inspect", image(name)).stdout)
    assert about["Config"]["User"] == "65532:65532"


@pytest.mark.parametrize("name", ["agent", "analysis"])
def test_every_package_is_of_the_version_that_is_pinned(name: str) -> None:
    installed = {normal(line) for line in python_in(name, INSTALLED).splitlines()}
    ours = {one for one in installed if one.startswith("hopwatch==")}
    assert len(ours) == 1
    assert installed - ours <= pinned()


@pytest.mark.parametrize("name", ["agent", "analysis"])
def test_what_builds_them_is_not_left_in_them(name: str) -> None:
    program = """
import shutil
from pathlib import Path
print(*filter(shutil.which, ("cc", "gcc", "g++", "make", "git", "curl", "wget")))
print(*(path for name in ("pip", "setuptools", "hatchling") for path in Path("/opt/hopwatch").rglob(name)))
print(*(path for path in ("/root/.cache", "/var/cache/pip", "/etc/pip.conf", "/src", "/build") if Path(path).exists()))
print(*Path("/mnt").iterdir(), *Path("/var/lib/apt/lists").glob("*Packages*"), *Path("/var/cache/apt/archives").glob("*.deb"))
"""
    assert python_in(name, program, user="0").split() == []


@pytest.mark.parametrize("name", ["agent", "analysis"])
def test_all_of_it_is_compiled_ahead(name: str) -> None:
    program = """
from pathlib import Path
from importlib.util import cache_from_source
files = [*Path("/opt/hopwatch/lib").rglob("*.py")]
assert len(files) > 1000
print(*(file for file in files if not Path(cache_from_source(file)).exists()))
"""
    assert python_in(name, program).split() == []


def test_the_instrumentation_is_copied_whole_and_anybody_may_read_it(tmp_path: Path) -> None:
    target = tmp_path / "opt"
    target.mkdir()
    target.chmod(0o777)
    for _ in range(2):  # a container may be started again
        podman("run", *LOCKED, "--volume", f"{target}:/opt/hopwatch", image("instrumentation"))
    source = REPOSITORY / "instrumentation" / "hopwatch"
    copied = {path.relative_to(target / "hopwatch"): path for path in (target / "hopwatch").rglob("*.py")}
    assert copied.keys() == {path.relative_to(source) for path in source.rglob("*.py")}
    for name, path in copied.items():
        assert path.read_bytes() == (source / name).read_bytes()
        assert path.stat().st_mode & 0o444 == 0o444
    assert {
        path.parent.parent.relative_to(target / "hopwatch") / f"{path.name.split('.')[0]}.py"
        for path in target.rglob("*.pyc")
    } == copied.keys()


@pytest.mark.spark
@pytest.mark.timeout(900)
@pytest.mark.parametrize("user", ["65532:65532", "1000670000:0"])
def test_the_analysis_is_a_driver_of_spark_on_kubernetes_as_any_user(tmp_path: Path, user: str) -> None:
    settings, scratch = tmp_path / "spark.properties", tmp_path / "scratch"
    settings.write_text("spark.master=local[2]\nspark.driver.extraJavaOptions=-Djava.io.tmpdir=/scratch\n")
    scratch.mkdir()
    scratch.chmod(0o777)
    (scratch / "landed").mkdir()
    (scratch / "landed" / "x").mkdir()
    done = podman(
        *(
            "run",
            *LOCKED,
            "--user",
            user,
            "--volume",
            f"{scratch}:/scratch",
            "--volume",
            f"{settings}:/settings:ro",
        ),
        *("--env", "HOME=/scratch", "--env", "TMPDIR=/scratch", "--env", "SPARK_LOCAL_DIRS=/scratch"),
        *("--env", "SPARK_DRIVER_BIND_ADDRESS=127.0.0.1", image("analysis")),
        *("driver", "--properties-file", "/settings", "--class", "org.apache.spark.deploy.PythonRunner"),
        *("local:///opt/hopwatch/hopwatch_analyze.py", "/scratch/landed", "--out", "/scratch/out"),
        check=False,
        timeout=600,
    )
    assert "no landed Parquet files" in done.stdout + done.stderr, done.stdout + done.stderr


def test_the_analysis_is_an_executor_of_spark_on_kubernetes() -> None:
    told: dict[str, Any] = {
        "SPARK_DRIVER_URL": "spark://CoarseGrainedScheduler@127.0.0.1:7078",
        "SPARK_EXECUTOR_ID": 1,
        "SPARK_EXECUTOR_CORES": 1,
        "SPARK_EXECUTOR_MEMORY": "512m",
        "SPARK_APPLICATION_ID": "spark-1",
        "SPARK_EXECUTOR_POD_IP": "127.0.0.1",
        "SPARK_EXECUTOR_POD_NAME": "feed-exec-1",
        "SPARK_RESOURCE_PROFILE_ID": 0,
        "SPARK_JAVA_OPT_0": "-Dspark.rpc.numRetries=1",
        "SPARK_JAVA_OPT_1": "-Dspark.executor.appId=with a space",
    }
    environment = [word for name, value in told.items() for word in ("--env", f"{name}={value}")]
    done = podman("run", *LOCKED, *environment, image("analysis"), "executor", check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    # it has understood all that it was told, and finds no driver there
    assert "KubernetesExecutorBackend" in said
    assert "127.0.0.1:7078" in said
