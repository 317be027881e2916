"""``/`` and the files of the page. There is nothing secret in them: what they show they ask for, as any client does."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

PAGE_PATH = "/page"
_FILES = Path(__file__).parent / "files"


def add_page(app: FastAPI) -> None:
    """Serves the page and its files, each with an ETag."""

    @app.get("/", include_in_schema=False)
    def page() -> Response:
        return FileResponse(_FILES / "index.html", media_type="text/html")

    app.mount(PAGE_PATH, StaticFiles(directory=_FILES))


def is_of_the_page(path: str) -> bool:
    """Whether a request's path leads to one of these files."""
    return path == "/" or path.startswith(f"{PAGE_PATH}/")
