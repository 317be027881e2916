"""What a page shows, as a browser would take it apart: elements with their attributes, and their text."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "link", "img"}


@dataclass
class Element:
    """One element; ``parts`` are its texts and children in order."""

    tag: str
    attributes: dict[str, str | None]
    parts: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All its text, single-spaced."""
        return " ".join("".join(self.texts()).split())

    def texts(self) -> Iterator[str]:
        """Its texts and those of all that is within, in order."""
        for part in self.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from part.texts()

    def all(self, tag: str | None = None, **attributes: str) -> list["Element"]:
        """Elements within, in order, of this tag and with these attributes (``class_`` is one of the classes)."""
        class_ = attributes.pop("class_", None)
        found = []
        for part in self.parts:
            if isinstance(part, str):
                continue
            fits = tag in (None, part.tag) and attributes.items() <= part.attributes.items()
            if fits and (class_ is None or class_ in (part.attributes.get("class") or "").split()):
                found.append(part)
            found += part.all(tag, **attributes, **({"class_": class_} if class_ else {}))
        return found

    def one(self, tag: str | None = None, **attributes: str) -> "Element":
        """The only such element."""
        (found,) = self.all(tag, **attributes)
        return found

    def rows(self) -> list[list[str]]:
        """The cells of a table's body."""
        body = self.one("tbody")
        return [[cell.text for cell in row.parts if isinstance(cell, Element)] for row in body.all("tr")]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("page", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].parts.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> within <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def read_page(text: str) -> Element:
    """The page's elements. Fails where one is closed that is not open."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    (page,) = builder.open
    return page
