"""Certificates for tests, made by openssl."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key, as PEM files."""

    cert: Path
    key: Path


class Authority:
    """Signs certificates of this machine."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not installed")
        self._folder = folder
        self.cert, self._key = folder / "ca.pem", folder / "ca.key"
        _openssl("req", "-x509", *_NEW_KEY, "-subj", "/CN=ca", "-keyout", self._key, "-out", self.cert)

    def certificate(self, name: str) -> Certificate:
        """A new one of that name."""
        made = Certificate(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        signed = (
            "-CA",
            self.cert,
            "-CAkey",
            self._key,
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
        )
        _openssl(
            "req", "-x509", *_NEW_KEY, "-subj", f"/CN={name}", *signed, "-keyout", made.key, "-out", made.cert
        )
        return made


_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
