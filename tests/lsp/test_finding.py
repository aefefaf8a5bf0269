"""Becoming the hub of a folder, or joining whoever is."""

import asyncio
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcException

from dsh_lsp.discovery import Discovery
from dsh_lsp.endpoint import AgentEndpoint
from dsh_lsp.joining.attaching import attach_params, attach_request, attach_result, is_attach
from dsh_lsp.joining.finding import Joined, NotReached, claim_or_join, join
from dsh_lsp.joining.folder_locks import FolderLocks
from dsh_lsp.rpc.framing import encode
from tests.support import framing

UNKNOWN = encode({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "method not found"}})


@pytest.fixture(autouse=True)
def _usual_directory(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(runtime))


async def test_a_free_folder_is_claimed(folder: Path) -> None:
    """Then nobody is joined, and the next one would not get it."""
    locks, others = FolderLocks(), FolderLocks()

    assert await claim_or_join(locks, [folder]) is None
    assert folder == others.claim([folder])
    locks.release_all()


async def test_a_holder_that_can_t_be_joined_is_said_after_a_while(folder: Path) -> None:
    """A server that was stopped, say: with the folder's name alone, and what to do."""
    holder = FolderLocks()
    holder.claim([folder])

    with pytest.raises(NotReached) as refusal:
        await claim_or_join(FolderLocks(), [folder], patience=0.05)
    assert "the folder work space and does not answer" in str(refusal.value)
    assert str(folder.parent) not in str(refusal.value)
    holder.release_all()


async def test_a_holder_that_lets_go_meanwhile_is_followed(folder: Path) -> None:
    """It is tried again and again."""
    holder, locks = FolderLocks(), FolderLocks()
    holder.claim([folder])
    asyncio.get_running_loop().call_later(0.05, holder.release_all)

    assert await claim_or_join(locks, [folder]) is None
    locks.release_all()


async def test_the_last_hub_s_home_is_claimed_too(folder: Path, tmp_path: Path) -> None:
    """Nobody else may keep its sessions meanwhile."""
    home = tmp_path / "home"
    home.mkdir()
    locks, others = FolderLocks(), FolderLocks()

    assert await claim_or_join(locks, [folder], home) is None
    assert home == others.claim([home])
    locks.release_all()


async def test_one_s_own_process_is_nobody_to_join(folder: Path, endpoint: AgentEndpoint) -> None:
    """What is announced by this process is not another hub."""
    discovery = Discovery()
    discovery.announce([folder], endpoint.address)

    assert await join([folder], [folder]) is None
    discovery.withdraw()


@pytest.mark.parametrize(
    "answer", [b"", encode({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "x"}})]
)
async def test_a_server_that_does_not_know_the_request_is_not_joined(folder: Path, answer: bytes) -> None:
    """An older one, or one that is just leaving."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await framing.read(reader))
        writer.write(answer)

    asked: list[object] = []
    holder = FolderLocks()
    holder.claim([folder])
    async with AgentEndpoint(serve) as endpoint:
        found = await _announced(folder, endpoint)
        joined = await found

    holder.release_all()
    assert joined is None
    [request] = asked
    assert is_attach(request)
    assert [folder] == attach_params(request, holder.secret).paths


async def _announced(folder: Path, endpoint: AgentEndpoint) -> "asyncio.Future[Joined | None]":
    """Join as if the server were another process's."""
    from dsh_lsp.discovery import Found
    from dsh_lsp.joining import finding

    found = Found(folder, 1, endpoint.address, endpoint.path, 1, (folder.as_uri(),))
    return asyncio.ensure_future(finding._attach(found, [folder]))


def test_an_answer_that_is_none_grants_nothing() -> None:
    """Whatever it is."""
    answers: list[object] = [None, {}, {"result": {}}, {"result": {"home": 3, "refused": []}}, {"error": {}}]
    for answer in answers:
        assert attach_result(answer) is None


def test_another_version_of_the_protocol_is_refused(folder: Path) -> None:
    """With the version that is spoken here."""
    request = attach_request(1, [folder], "secret")
    request["params"]["protocolVersion"] = 2

    with pytest.raises(JsonRpcException, match="speaks version 1"):
        attach_params(request, "secret")


def test_who_can_not_read_the_lock_is_no_editor(folder: Path) -> None:
    """An agent that was given the socket alone could else answer its own questions; no secret is ever shown."""
    request = attach_request(1, [folder], "guessed")

    with pytest.raises(JsonRpcException, match="only a server of the same user") as refusal:
        attach_params(request, "secret")
    assert "secret" not in repr(attach_params({**request}, "guessed"))
    assert "guessed" not in str(refusal.value)


def test_what_is_missing_is_named(folder: Path) -> None:
    """By field."""
    request = attach_request(1, [folder], "secret")
    del request["params"]["folders"]

    with pytest.raises(JsonRpcException) as refusal:
        attach_params(request, "secret")
    assert {"errors": [{"path": "params.folders", "message": "Field required"}]} == refusal.value.data
