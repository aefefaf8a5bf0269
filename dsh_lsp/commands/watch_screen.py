"""The screen of ``dsh-lsp watch``: cards above, what is pending below, and keys to decide on it.

Imported only when there is a terminal to draw on: textual takes its time to load.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.widgets import Footer, OptionList, RichLog, Static
from textual.widgets.option_list import Option

from dsh_lsp.client import ClientError
from dsh_lsp.commands.ending import NOT_ASKED
from dsh_lsp.commands.following import Call, Card, Event, Follower, Gone, Pending, Present, Running
from dsh_lsp.commands.hunk_words import file_name, hunk_line
from dsh_lsp.replaying.text import card_text
from dsh_lsp.replaying.wording import many
from dsh_lsp.runtime_dir import RuntimeDirRefused
from dsh_lsp.status_wire import StatusResult
from dsh_lsp.wire import ReviewedHunk
from dsh_tools.visible import one_line

_CARDS: Final = 300
"""Cards that are drawn again when the width changes; older ones are gone from the screen."""
_MARGINS: Final = 4
"""Cells beside the cards, the scrollbar among them."""
_OLD_LINES: Final = 6
"""Lines of a hunk's old text that are shown."""


class Cards(RichLog):
    """The cards, the latest last; they are drawn again when the width changes."""

    def __init__(self) -> None:
        super().__init__(id="cards", wrap=False, markup=False, highlight=False, max_lines=10_000, min_width=1)
        self._cards: deque[Card] = deque(maxlen=_CARDS)
        self._session: str | None = None
        self._drawn_at = 0

    def add(self, card: Card) -> None:
        """One more."""
        self._cards.append(card)
        self._draw(card)

    def on_resize(self, event: Resize) -> None:  # noqa: ARG002 - textual calls the base class's by itself
        """Draw them again."""
        if self._drawn_at not in (0, self._room()):
            self.clear()
            self._session = None
            for card in self._cards:
                self._draw(card)

    def _draw(self, card: Card) -> None:
        self._drawn_at = self._room()
        if card.session != self._session:
            self._session = card.session
            said = one_line(f"{card.agent or 'an agent without a name'}, session {card.session}")
            self.write(Text(f"\n{said}", "bold"))
        self.write(card_text(card.shown, self._drawn_at))

    def _room(self) -> int:
        return max(self.app.size.width - _MARGINS, 40)


class WatchScreen(App[None]):
    """The screen.

    Args:
        follower: What goes on.
    """

    CSS = """
    #server, #running { height: auto; padding: 0 1; color: $text-muted; }
    #cards { height: 3fr; padding: 0 1; }
    #pending { height: 1fr; min-height: 4; border: none; border-top: solid $primary; }
    #pending:focus { border: none; border-top: solid $accent; }
    #old { height: auto; padding: 0 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "decide('keep', 'hunk')", "Keep"),
        Binding("u", "decide('undo', 'hunk')", "Undo"),
        Binding("K", "decide('keep', 'file')", "Keep file", key_display="K"),
        Binding("U", "decide('undo', 'file')", "Undo file", key_display="U"),
        Binding("q", "quit", "Quit"),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, follower: Follower) -> None:
        super().__init__()
        self._follower = follower
        self._calls: tuple[Call, ...] = ()
        self._hunks: dict[str, ReviewedHunk] = {}
        self._folders: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The parts, from the top."""
        yield Static("looking for a server", id="server", markup=False)
        yield Cards()
        yield Static("", id="running", markup=False)
        yield OptionList(id="pending", markup=False)
        yield Static("", id="old", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Begin to follow."""
        self.query_one("#pending").border_title = "pending: nothing"
        self.query_one("#pending").focus()
        self.set_interval(1.0, self._show_running)
        self.run_worker(self._follow(), name="follow")

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show what stood there before."""
        self._show_old(self._hunks.get(event.option.id or ""))

    async def action_decide(self, decision: Literal["keep", "undo"], what: Literal["hunk", "file"]) -> None:
        """Keep or undo the hunk that is highlighted, or all of its file."""
        chosen = self._chosen()
        if chosen is None:
            self.notify("Nothing is pending.")
            return
        meant = [each for each in self._hunks.values() if each.uri == chosen.uri] if what == "file" else [chosen]
        decide = self._follower.keep if decision == "keep" else self._follower.undo
        try:
            decided = await decide([each.id for each in meant])
        except ClientError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        for each in decided:
            if each.status == "conflict":
                self.notify(each.reason or "It can't be taken back as it stands.", severity="warning", markup=False)
        if not decided:
            self.notify("Somebody has decided on it already.")

    async def _follow(self) -> None:
        try:
            async for event in self._follower.events():
                self._take(event)
                await asyncio.sleep(0)
        except (ClientError, RuntimeDirRefused) as error:
            self.exit(return_code=NOT_ASKED, message=Text(f"dsh-lsp watch: {error}"))

    def _take(self, event: Event) -> None:
        match event:
            case Card():
                self.query_one(Cards).add(event)
            case Running(calls=calls):
                self._calls = calls
                self._show_running()
            case Present(status=status):
                self._show_server(status)
            case Pending(hunks=hunks):
                self._show_pending(hunks)
            case Gone(why=why):
                self._calls = ()
                self._show_running()
                self.query_one("#server", Static).update(Text(f"no server now, waiting for one: {why}", "yellow"))

    def _show_server(self, status: StatusResult) -> None:
        self._folders = status.workspace_folders
        editors = ", ".join(each.name or "an editor" for each in status.editors) or "no editor"
        agents = many(sum(each.attached for each in status.sessions), "agent")
        folders = ", ".join(folder.rpartition("/")[2] for folder in status.workspace_folders)
        said = f"{folders}: server {status.pid}, {editors}, {agents}"
        self.query_one("#server", Static).update(Text(one_line(said)))

    def _show_running(self) -> None:
        now = asyncio.get_running_loop().time()
        lines = [
            f"running: {call.note.name} {call.note.view.title}"
            + ("" if call.at is None else f" ({max(now - call.at, 0):.0f} s)")
            for call in self._calls
        ]
        self.query_one("#running", Static).update(Text("\n".join(map(one_line, lines))))

    def _show_pending(self, hunks: Sequence[ReviewedHunk]) -> None:
        options = self.query_one("#pending", OptionList)
        before = self._chosen()
        place = options.highlighted or 0
        self._hunks = {hunk.id: hunk for hunk in hunks}
        options.clear_options()
        options.add_options([Option(Text(hunk_line(hunk, self._folders)), id=hunk.id) for hunk in hunks])
        files = many(len({hunk.uri for hunk in hunks}), "file")
        options.border_title = f"pending: {many(len(hunks), 'hunk')} in {files}" if hunks else "pending: nothing"
        if hunks:
            ids = list(self._hunks)
            stays = before is not None and before.id in self._hunks
            options.highlighted = ids.index(before.id) if stays and before else min(place, len(ids) - 1)
        self._show_old(self._chosen())

    def _chosen(self) -> ReviewedHunk | None:
        options = self.query_one("#pending", OptionList)
        if options.highlighted is None or options.highlighted >= options.option_count:
            return None
        return self._hunks.get(options.get_option_at_index(options.highlighted).id or "")

    def _show_old(self, hunk: ReviewedHunk | None) -> None:
        shown = Text()
        if hunk is not None and hunk.removed_text:
            lines = hunk.removed_text.removesuffix("\n").split("\n")
            shown.append(f"before, in {one_line(file_name(hunk.uri, self._folders))}:\n", "dim")
            shown.append("\n".join(f"- {one_line(line)}" for line in lines[:_OLD_LINES]), "red")
            if len(lines) > _OLD_LINES:
                shown.append(f"\n({many(len(lines) - _OLD_LINES, 'more line')})", "dim")
        self.query_one("#old", Static).update(shown)
