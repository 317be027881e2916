"""What Python runs when it starts under ``hopwatch run``: it waits for pyzmq to be imported, and calls ``hopwatch.install()`` then.

It loads nothing but what is loaded anyway: a program without pyzmq pays for one comparison an import, and one with it gets
pyzmq, and hopwatch after it, at the time of its own ``import zmq``. Any Python 3 may come upon this file, and any installation,
so it imports hopwatch only late, and where that is not installed takes it from where this file lies. The ``sitecustomize`` that
this one hides is then run in its place, and the folder is off ``sys.path`` again.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 -- pathlib is not loaded yet
OLDEST_PYTHON = (3, 10)
OLDEST_PYZMQ = 25


class ImportWatch:
    """Finds modules as the other finders do, and sees when pyzmq is loaded.

    An application may import hopwatch first, which imports pyzmq: then the installing waits until hopwatch is loaded, too.
    """

    def __init__(self) -> None:
        self.loading: set[str] = set()

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "ModuleSpec | None":
        """The module's own spec, its loader within ours; None for all that is not watched for."""
        if name not in {"zmq", "hopwatch"}:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = WatchedLoader(spec.loader, self)  # type: ignore[assignment]
                return spec
        return None

    def loaded(self) -> None:
        """One of the two is loaded: install once pyzmq is there and hopwatch is not half-way."""
        if "zmq" in sys.modules and not self.loading and self in sys.meta_path:
            sys.meta_path.remove(self)
            install()


class WatchedLoader:
    """Loads a module with its own loader, which the module shows as if this one had never been."""

    def __init__(self, loader: "Any", watch: ImportWatch) -> None:
        self.loader = loader
        self.watch = watch

    def __getattr__(self, name: str) -> "Any":
        return getattr(self.loader, name)

    def exec_module(self, module: "ModuleType") -> None:
        """As the module's own loader does; then tell the watch."""
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        module.__loader__ = self.loader
        self.watch.loading.add(module.__name__)
        try:
            self.loader.exec_module(module)
        finally:
            self.watch.loading.discard(module.__name__)
        self.watch.loaded()


def install() -> None:
    """Instrument this process, or say in one line why not; never raises."""
    try:
        version = sys.modules["zmq"].__version__
        if sys.version_info < OLDEST_PYTHON:
            complain("Python {}.{} is older than {}.{}".format(*sys.version_info[:2], *OLDEST_PYTHON))
        elif int(version.split(".")[0]) < OLDEST_PYZMQ:
            complain("pyzmq " + version + " is older than " + str(OLDEST_PYZMQ))
        else:
            hopwatch().install()
    except Exception as error:  # noqa: BLE001 -- whatever it is, the application goes on
        complain(type(error).__name__ + ": " + str(error))


def hopwatch() -> "Any":
    """The package, of this interpreter's own or, without one, the one beside this file."""
    import importlib
    import importlib.util

    if importlib.util.find_spec("hopwatch") is None:
        package = os.path.dirname(HERE)  # noqa: PTH120
        init = os.path.join(package, "__init__.py")  # noqa: PTH118
        spec = importlib.util.spec_from_file_location("hopwatch", init, submodule_search_locations=[package])
        if spec is None or spec.loader is None:
            raise ImportError("no hopwatch in " + package)
        module = importlib.util.module_from_spec(spec)
        sys.modules["hopwatch"] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules["hopwatch"]
            raise
    return importlib.import_module("hopwatch")


def complain(reason: str) -> None:
    """Say that this process goes on bare."""
    if sys.stderr is not None:
        sys.stderr.write("hopwatch does not instrument this process: " + reason + "\n")


def step_aside() -> None:
    """Let the ``sitecustomize`` be found that there would be without this one, or none, as an import of it always ends."""
    sys.path[:] = [entry for entry in sys.path if entry != HERE]
    del sys.modules["sitecustomize"]
    __import__("sitecustomize")


if __name__ == "sitecustomize":
    if os.environ.get("HOPWATCH_DISABLED", "") in {"", "0"}:
        sys.meta_path.insert(0, ImportWatch())
    step_aside()
