"""grep: lines that match a pattern, in files and in what editors hold of them unsaved."""

from typing import Literal

from pydantic import Field

from dsh_ledger.errors import FieldError, InvalidArgs, LedgerError
from dsh_ledger.json_values import JsonObject
from dsh_tools.builtin import grep_value, searching
from dsh_tools.builtin.grep_value import GrepFile, GrepLine, GrepValue, OutputMode
from dsh_tools.builtin.searching import SearchArguments, one_line
from dsh_tools.cards import GenericCall
from dsh_tools.contract import Tool, ToolRun
from dsh_tools.search import ripgrep
from dsh_tools.search.filters import FileFilter, names_of_type
from dsh_tools.search.globs import GlobRefused
from dsh_tools.search.hits import FileHits, Found, FoundLine
from dsh_tools.search.queries import Query
from dsh_tools.search.roots import NothingToLookAt, Root, find_root
from dsh_tools.search.searching import Search, Searched
from dsh_tools.search.unsaved import unsaved_texts

_DESCRIPTION = f"""\
Search files with ripgrep: pattern is a regular expression of the Rust dialect (no look-around, no back-references).
Where the user's editor has unsaved typing, that text is searched in place of the file's. A hit is a line in which a
match begins; hits are counted in full and at most {searching.MOST} are shown, long lines clipped around the match.
Ignored files are counted and not searched, binary files are not shown. A hit is no read: read a file before you edit
it."""


class GrepArguments(SearchArguments):
    """Arguments of grep."""

    pattern: str = Field(min_length=1, max_length=10_000, description="What to search for.")
    glob: str | None = Field(
        default=None,
        description="Only files that match: *.py at any depth, src/**/*.py from path on, !*.py all others.",
    )
    type: str | None = Field(default=None, description="Only files of this type, as ripgrep names it: py, rust, js.")
    ignore_case: bool = Field(default=False, description="Case does not count.")
    fixed_strings: bool = Field(default=False, description="The pattern is a literal, not a regular expression.")
    multiline: bool = Field(default=False, description="A match may span lines, and . matches a line end too.")
    context: int = Field(default=0, ge=0, le=10, description="Lines to show before and after each hit.")
    output_mode: OutputMode = Field(
        default="content", description="content: the lines; files: the files alone; count: hits by file."
    )
    limit: int = Field(default=100, ge=1, le=searching.MOST, description="How many hits, or files, to show at most.")


async def _execute(args: GrepArguments, run: ToolRun) -> JsonObject:
    query = Query(
        args.pattern,
        literal=args.fixed_strings,
        ignore_case=args.ignore_case,
        multiline=args.multiline,
        context=args.context if args.output_mode == "content" else 0,
        type=args.type,
    )
    await query.check()
    root = await find_root(run.fs, args.path)
    texts = await unsaved_texts(run.fs, root)
    if root.kind == "missing" and not texts:
        raise NothingToLookAt(root.target.path)
    chosen = await _filter(args)
    search = Search(run.fs, root, query, chosen, texts, args.include_ignored)
    characters = searching.MOST_CHARACTERS if args.output_mode == "content" else 0
    searched = await search.run(lambda: Found(args.limit, characters))
    return (await _value(args, run, root, searched)).to_wire()


async def _filter(args: GrepArguments) -> FileFilter:
    try:
        return FileFilter(args.glob, await names_of_type(args.type) if args.type else ())
    except GlobRefused as refused:
        raise InvalidArgs([FieldError("glob", str(refused))]) from None


async def _value(args: GrepArguments, run: ToolRun, root: Root, searched: Searched) -> GrepValue:
    found = searched.found
    listed, shown = found.shown()
    files = [each for hits in listed if (each := await _file(run, root, hits, searched)) is not None]
    total = found.total_hits if args.output_mode == "content" else found.total_files
    walked = searched.walked
    return GrepValue(
        mode=args.output_mode,
        files=tuple(files),
        shown=shown,
        total=total,
        total_hits=found.total_hits,
        total_files=found.total_files,
        at_least=not found.complete,
        truncated=shown < total,
        truncated_by=_cut_by(shown, total, args.limit, found),
        searched=searched.files,
        ignored=walked.ignored if walked else 0,
        ignored_exact=walked.ignored_exact if walked else True,
        notes=tuple(_notes(args, files, searched)),
    )


def _cut_by(shown: int, total: int, limit: int, found: Found) -> Literal["limit", "size", "line"] | None:
    if shown == total:
        return None
    if shown == limit:
        return "limit"
    return "line" if shown == total - found.huge else "size"


async def _file(run: ToolRun, root: Root, hits: FileHits, searched: Searched) -> GrepFile | None:
    """A file with its path as it is shown; None for one whose path leads outside by now."""
    try:
        target = await run.fs.resolve(root.uri(hits.path))
    except LedgerError:
        return None
    buffer = hits.path in searched.buffers
    return GrepFile(
        path=target.path,
        uri=target.uri,
        via="buffer" if buffer else "disk",
        dirty=buffer,
        hits=hits.hits,
        lines=tuple(map(_line, hits.lines)),
    )


def _line(line: FoundLine) -> GrepLine:
    return GrepLine(
        line=line.number,
        text=line.clip.text,
        column=line.column,
        matches=line.matches,
        hidden_before=line.clip.before,
        hidden_after=line.clip.after,
        hidden_lines=line.hidden,
    )


def _notes(args: GrepArguments, files: list[GrepFile], searched: Searched) -> list[str]:
    found, walked = searched.found, searched.walked
    buffers = [one_line(each.path, each.uri) for each in files if each.via == "buffer"]
    notes = []
    if args.glob and not searched.files and not (walked and walked.ignored):
        notes.append(
            "No file there matches the glob, so nothing was searched: it is one pattern, relative to path; "
            "*.{ts,tsx} is for several endings."
        )
    if buffers:
        notes.append(f"Searched as unsaved text in the editor, not as on the disk: {searching.named(buffers)}.")
    if found.binaries:
        notes.append(f"Binary files with hits that are neither counted nor shown: {found.binaries}.")
    if searched.undeclared or not searched.undeclared_exact:
        least = "" if searched.undeclared_exact else "at least "
        notes.append(
            "Files that are not UTF-8 text, and for which no encoding is declared, so that other than ASCII characters "
            f"may have been missed in them: {least}{searched.undeclared}."
        )
    if found.huge:
        notes.append(f"Hits on lines too large to be shown: {found.huge}.")
    if walked is not None:
        notes += searching.ignored_notes(walked.ignored, "searched", "search", exact=walked.ignored_exact)
    return notes + searching.unreadable_notes(found.unreadable)


def _title(args: GrepArguments) -> str:
    return f"Search for {args.pattern}"


GREP = Tool(
    name="grep",
    description=_DESCRIPTION,
    params=GrepArguments,
    output=GrepValue,
    execute=_execute,
    render=lambda args, value: grep_value.render(value, args.context),
    presentation_meta=lambda args, value: grep_value.meta(value, _title(args), args.pattern),
    present_call=lambda args: GenericCall(title=_title(args), input=args.model_dump(mode="json")),
    present_result=lambda _args, result: searching.card(result),
    concurrency_safe=True,
    open_world=False,
    timeout=searching.TIMEOUT,
    withheld=ripgrep.withheld,
)
