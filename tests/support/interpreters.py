"""What interpreters differ in."""

import sys
import sysconfig

import pytest

KEEPS_CLASSES = bool(sysconfig.get_config_var("Py_GIL_DISABLED")) and sys.version_info < (3, 14)
"""Free-threaded CPython 3.13 never frees a class or function once a thread was started, and takes modules apart before sockets left open."""

frees_classes = pytest.mark.skipif(
    KEEPS_CLASSES, reason="free-threaded CPython 3.13 keeps classes and functions for ever"
)
