"""An HTML page, read strictly with the standard library's parser: elements close in the order they were opened."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "br", "hr", "img", "link", "base", "input"}


@dataclass(slots=True)
class Element:
    """One element with what is in it, in order."""

    name: str
    attributes: dict[str, str | None]
    children: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def classes(self) -> set[str]:
        """The names in its class attribute."""
        return set((self.attributes.get("class") or "").split())

    def all(self, name: str | None = None, class_: str | None = None) -> list["Element"]:
        """The elements inside, at any depth, in order, with that name and that class."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                if name in {None, child.name} and (class_ is None or class_ in child.classes):
                    found.append(child)
                found += child.all(name, class_)
        return found

    def one(self, name: str | None = None, class_: str | None = None) -> "Element":
        """The only element like that."""
        [found] = self.all(name, class_)
        return found

    def without(self, name: str) -> str:
        """All text inside but for that in elements of a name."""
        return "".join(
            child if isinstance(child, str) else "" if child.name == name else child.without(name)
            for child in self.children
        )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if len({name for name, _ in attrs}) < len(attrs):
            self.problems.append(f"<{tag}> has an attribute twice")
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].name == tag:
            self.open.pop()
        else:
            self.problems.append(f"</{tag}> where <{self.open[-1].name}> is open")

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        self.problems.append("a comment")

    def unknown_decl(self, data: str) -> None:
        self.problems.append("a declaration")

    def handle_pi(self, data: str) -> None:
        self.problems.append("a processing instruction")


def read_page(html: str) -> Element:
    """The page's ``html`` element.

    Raises:
        AssertionError: The page is not well-formed, or has something other than elements and text.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert ([], [""]) == (reader.problems, [element.name for element in reader.open])
    return reader.root.one("html")
