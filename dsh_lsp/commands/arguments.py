"""From the words of a command line to a tool's arguments, by the tool's schema.

``--old-string x``, ``--old-string=x``, flags (``--replace-all``, ``--no-replace-all``), lists by repetition, and words
without an option for the required arguments in their order. Values are converted to the types that the schema names;
whether they are right is for the tool to say. Deliberately absent: any tool's name.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from dsh_lsp.commands.ending import Usage
from dsh_lsp.wire import ToolInfo

_SHORT: Final = {"file": "file_path"}
"""Shorter names for arguments, where a tool has none of that name."""

_TRUE: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool.

    Attributes:
        name: As the tool knows it.
        kind: The JSON type of its values, of its items where it is a list; empty where the schema does not say.
        is_list: It takes any number of values.
        is_required: The tool can't do without.
        choices: What it may be, if only that.
        description: What the schema says of it.
    """

    name: str
    kind: str
    is_list: bool
    is_required: bool
    choices: tuple[str, ...]
    description: str

    @property
    def option(self) -> str:
        """As it is written on a command line."""
        return f"--{self.name.replace('_', '-')}"

    def value(self, word: str) -> Any:
        """The value that a word means.

        Raises:
            Usage: It is none of that type.
        """
        try:
            match self.kind:
                case "string":
                    return word
                case "integer":
                    return int(word)
                case "number":
                    return float(word)
                case "boolean":
                    return _TRUE[word.lower()]
                case _:
                    return json.loads(word)
        except (ValueError, KeyError):
            if not self.kind:
                return word  # a text is as good as anything else
            expected = {"object": "a JSON object", "array": "a JSON array", "boolean": "true or false"}
            raise Usage(f"{self.option}: expected {expected.get(self.kind, f'a value of type {self.kind}')}") from None


@dataclass(slots=True)
class Words:
    """What was typed after a tool's name.

    Attributes:
        arguments: The tool's arguments.
        own: Options that are not the tool's, by name.
    """

    arguments: dict[str, Any] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)


def parameters(tool: ToolInfo) -> dict[str, Parameter]:
    """The arguments of a tool by name: the required ones first, in the schema's order."""
    schema = tool.parameters if isinstance(tool.parameters, dict) else {}
    required = schema.get("required", ())
    found = [_parameter(name, each, schema, name in required) for name, each in schema.get("properties", {}).items()]
    return {each.name: each for each in sorted(found, key=lambda each: not each.is_required)}


def parse(words: Sequence[str], tool: ToolInfo, own: Iterable[str] = ()) -> Words:
    """Read the words after a tool's name.

    Args:
        words: They.
        tool: The tool.
        own: Names of further options, each with a value; the tool's own of the same name go first.

    Raises:
        Usage: A word can't be used; it is named.
    """
    known, made, rest = parameters(tool), Words(), list(words)
    bare: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--":
            bare += rest
            break
        if not word.startswith("--"):
            bare.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        found = _found(name, known)
        if found is None and name.startswith("no-") and (flag := _found(name[3:], known)) and flag.kind == "boolean":
            made.arguments[flag.name] = False
        elif found is not None and found.kind == "boolean" and not found.is_list and not equals:
            made.arguments[found.name] = True
        elif found is None and name not in own:
            raise Usage(f"{tool.name} has no argument {word.partition('=')[0]}; it has {_listed(known.values())}")
        else:
            if not equals:
                if not rest:
                    raise Usage(f"{word}: a value is missing")
                value = rest.pop(0)
            if found is None:
                made.own[name] = value
            else:
                _put(made.arguments, found, value)
    _put_bare(bare, known.values(), made.arguments, tool)
    return made


def usage(tool: ToolInfo) -> str:
    """How a tool is called from a command line, and what its arguments are."""
    known = parameters(tool).values()
    shown = " ".join(_shown(each) if each.is_required else f"[{_shown(each)}]" for each in known)
    wide = max((len(_shown(each)) for each in known), default=0)
    lines = [f"{tool.name} {shown}".rstrip(), *(f"  {line}" for line in tool.description.splitlines()), ""]
    lines += [f"  {_shown(each):<{wide}}  {' '.join(each.description.split())}".rstrip() for each in known]
    return "\n".join(lines).rstrip()


def json_object(text: str, where: str) -> dict[str, Any]:
    """The JSON object that a text is.

    Raises:
        Usage: It is none.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Usage(f"{where}: no JSON: {error}") from None
    if not isinstance(value, dict):
        raise Usage(f"{where}: expected a JSON object")
    return value


def _parameter(name: str, declared: Any, schema: dict[str, Any], required: bool) -> Parameter:
    one = _resolved(declared, schema)
    is_list = one.get("type") == "array"
    item = _resolved(one.get("items", {}), schema) if is_list else one
    choices = item.get("enum", ())
    description = declared.get("description", "") if isinstance(declared, dict) else ""
    kind = item.get("type", "string" if choices else "")
    return Parameter(
        name=name,
        kind=kind if isinstance(kind, str) else "",
        is_list=is_list,
        is_required=required,
        choices=tuple(map(str, choices)),
        description=str(description),
    )


def _resolved(declared: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """A subschema with its reference followed, and null left out of what it may be."""
    for _ in range(8):
        if not isinstance(declared, dict):
            return {}
        reference = declared.get("$ref")
        others = [each for each in declared.get("anyOf", ()) if isinstance(each, dict) and each.get("type") != "null"]
        if isinstance(reference, str):
            declared = schema.get("$defs", {}).get(reference.rpartition("/")[2], {})
        elif len(others) == 1:
            declared = others[0]
        else:
            return declared
    return {}


def _found(name: str, known: dict[str, Parameter]) -> Parameter | None:
    plain = name.replace("-", "_")
    return known.get(plain) or known.get(name) or known.get(_SHORT.get(plain, ""))


def _put(arguments: dict[str, Any], parameter: Parameter, word: str) -> None:
    if not parameter.is_list:
        arguments[parameter.name] = parameter.value(word)
    elif word.startswith("[") and parameter.kind != "string":
        arguments[parameter.name] = [*arguments.get(parameter.name, []), *_array(parameter, word)]
    else:
        arguments[parameter.name] = [*arguments.get(parameter.name, []), parameter.value(word)]


def _array(parameter: Parameter, word: str) -> list[Any]:
    try:
        value = json.loads(word)
    except ValueError:
        value = None
    if not isinstance(value, list):
        raise Usage(f"{parameter.option}: expected a JSON array, or one item")
    return value


def _put_bare(bare: list[str], known: Iterable[Parameter], arguments: dict[str, Any], tool: ToolInfo) -> None:
    """Words without an option are the required arguments that have no value yet, in order."""
    wanting = [each for each in known if each.is_required and each.name not in arguments]
    for each in wanting:
        if not bare:
            return
        taken, bare = (bare, []) if each.is_list else (bare[:1], bare[1:])
        for word in taken:
            _put(arguments, each, word)
    if bare:
        raise Usage(f"{tool.name}: there is no argument for {bare[0]!r}; the others are given as --name value")


def _shown(parameter: Parameter) -> str:
    if parameter.kind == "boolean":
        return parameter.option
    value = "|".join(parameter.choices) or {"": "VALUE", "string": "TEXT", "object": "JSON"}.get(
        parameter.kind, parameter.kind.upper()
    )
    return f"{parameter.option} {value}{'...' if parameter.is_list else ''}"


def _listed(known: Iterable[Parameter]) -> str:
    return ", ".join(each.option for each in known) or "none"
