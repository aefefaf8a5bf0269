"""What the user has decided once and for all about tools: allow, ask or deny, by name."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from dsh_tools.decisions import Allow, Ask, Before, Deny
from dsh_tools.policies import Policy, PolicyCall

Permission: TypeAlias = Literal["allow", "ask", "deny"]


def permissions_policy(permissions: Mapping[str, Permission]) -> Policy:
    """The policy of the user's settings; it has no opinion on tools that they don't name."""

    def before(call: PolicyCall) -> Before | None:
        match permissions.get(call.tool):
            case "allow":
                return Allow()
            case "ask":
                return Ask()
            case "deny":
                return Deny("the user's settings deny this tool.")
            case _:
                return None

    return Policy("the user's settings", before=before)
