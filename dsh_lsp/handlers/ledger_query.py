"""``dsh/ledger/query``."""

from typing import Any, assert_never

from dsh_ledger.errors import FsError, LedgerError
from dsh_ledger.observations import Absent, Observation, Present, Unseen
from dsh_ledger.targets import Target
from dsh_lsp.buffers.workspace_files import WorkspaceFiles
from dsh_lsp.handlers.context import hub_of, session_of
from dsh_lsp.wire import LedgerQueryParams, LedgerQueryResult, ObservationInfo
from dsh_tools.fs.port import TextRead


async def ledger_query(peer: Any, params: LedgerQueryParams) -> LedgerQueryResult:
    """What a session has observed, and what of it is out of date now."""
    hub = hub_of(peer)
    session = session_of(hub, params.session_id)
    if params.uri is None:
        known = dict(hub.ledger.observations(session.id))
    else:
        try:
            target = await hub.files.resolve(params.uri)
        except LedgerError:  # what is no path of this workspace nobody has seen
            return LedgerQueryResult(observations=(ObservationInfo(uri=params.uri, state="unseen", stale=False),))
        known = {target: hub.ledger.observation(session.id, target)}
    return LedgerQueryResult(observations=tuple([await _info(hub.files, t, o) for t, o in known.items()]))


async def _info(files: WorkspaceFiles, target: Target, observation: Observation) -> ObservationInfo:
    match observation:
        case Unseen():
            return ObservationInfo(uri=target.uri, state="unseen", stale=False)
        case Absent():
            return ObservationInfo(uri=target.uri, state="absent", stale=await _version(files, target) is not None)
        case Present(version):
            stale = await _version(files, target) != version
            return ObservationInfo(uri=target.uri, state="present", version=version, stale=stale)
        case _:
            assert_never(observation)


async def _version(files: WorkspaceFiles, target: Target) -> str | None:
    """The version that is there now, an empty string for what can't be read, or None for nothing."""
    try:
        found = await files.read_text(target)
    except FsError:
        return ""
    return found.version if isinstance(found, TextRead) else None
