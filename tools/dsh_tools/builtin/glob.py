"""glob: files by their paths, those included that exist only in an editor."""

from pydantic import Field

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_tools.builtin import searching
from dsh_tools.builtin.searching import SearchArguments, counted, one_line
from dsh_tools.cards import GenericCall, SearchHit, SearchResult
from dsh_tools.content import ContentBlock, text_content
from dsh_tools.contract import Tool, ToolRun
from dsh_tools.models import Items, WireModel
from dsh_tools.search import ripgrep
from dsh_tools.search.finding import FoundFiles, find_files

_DESCRIPTION = f"""\
Find files by their paths. *, ?, [abc] and {{a,b}} stay within a name and ** is any number of folders: *.py is in the
folder itself, **/*.py at any depth. Files that .gitignore and the like hide are counted and not listed, unless you name
one exactly or set include_ignored. Files that only the user's editor has so far are listed too. Listed by path, at most
{searching.MOST}; no directories, no links."""


class GlobArguments(SearchArguments):
    """Arguments of glob."""

    pattern: str = Field(min_length=1, description="A glob, relative to path, or the path of one file.")
    limit: int = Field(default=100, ge=1, le=searching.MOST, description="How many files to list at most.")


class ListedFile(WireModel):
    """A file. It is on the disk, or in an editor's buffer alone; ``dirty`` says that it has unsaved typing."""

    path: str
    uri: str
    via: searching.Place
    dirty: bool


class GlobValue(WireModel):
    """The canonical value of a glob.

    Attributes:
        files: The first files by path.
        total: How many match.
        truncated: Not all of them are listed.
        ignored: How many more match and are hidden by ignore files.
        ignored_exact: It is not more than that.
        deeper: How many files have a name that matches and lie deeper than the pattern says.
        notes: What else a reader should know, as sentences.
    """

    files: Items[ListedFile]
    total: int
    truncated: bool
    ignored: int
    ignored_exact: bool
    deeper: int
    notes: Items[str]


async def _execute(args: GlobArguments, run: ToolRun) -> JsonObject:
    found = await find_files(run.fs, args.path, args.pattern, args.limit, include_ignored=args.include_ignored)
    return GlobValue(
        files=tuple(
            ListedFile(path=each.target.path, uri=each.target.uri, via=each.via, dirty=each.dirty)
            for each in found.files
        ),
        total=found.total,
        truncated=found.total > len(found.files),
        ignored=found.ignored,
        ignored_exact=found.ignored_exact,
        deeper=found.deeper,
        notes=tuple(_notes(found)),
    ).to_wire()


def _notes(found: FoundFiles) -> list[str]:
    notes = searching.ignored_notes(found.ignored, "listed", "list", exact=found.ignored_exact)
    if found.deeper:
        lie, them = ("lies", "it") if found.deeper == 1 else ("lie", "them")
        notes.append(
            f"{counted(found.deeper, 'more file')} of such a name {lie} deeper: {found.deeper_pattern} finds {them}."
        )
    if found.directory:
        notes.append("The pattern names a directory: add /** to list what is in it.")
    return notes + searching.unreadable_notes(found.unreadable)


def _render(_args: GlobArguments, value: JsonObject) -> tuple[ContentBlock, ...]:
    found = GlobValue.model_validate(value)
    head = f"{counted(found.total, 'file')} found."
    if found.truncated:
        head += f" The first {len(found.files)} by path are listed: use a narrower pattern"
        head += f", or a limit of up to {searching.MOST}."
    return text_content("\n".join([head, *found.notes, *map(_line, found.files)]))


def _line(file: ListedFile) -> str:
    mark = "" if not file.dirty else " (unsaved changes)" if file.via == "disk" else " (unsaved, not on the disk)"
    return one_line(file.path, file.uri) + mark


def _meta(args: GlobArguments, value: JsonObject) -> JsonValue:
    found = GlobValue.model_validate(value)
    return SearchResult(
        title=f"Find {args.pattern}",
        query=args.pattern,
        hits=tuple(
            SearchHit(path=each.path, text=_line(each).removeprefix(one_line(each.path, each.uri)).strip() or None)
            for each in found.files
        ),
        total=found.total,
        truncated=found.truncated,
        notes=found.notes,
    ).to_wire()


GLOB = Tool(
    name="glob",
    description=_DESCRIPTION,
    params=GlobArguments,
    output=GlobValue,
    execute=_execute,
    render=_render,
    presentation_meta=_meta,
    present_call=lambda args: GenericCall(title=f"Find {args.pattern}", input=args.model_dump(mode="json")),
    present_result=lambda _args, result: searching.card(result),
    concurrency_safe=True,
    open_world=False,
    timeout=searching.TIMEOUT,
    withheld=ripgrep.withheld,
)
