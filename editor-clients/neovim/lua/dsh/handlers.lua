--- What the server asks and tells, and what is answered.

local attach = require('dsh.attach')
local disk = require('dsh.disk')
local edit = require('dsh.edit')
local paint = require('dsh.paint')
local rpc = require('dsh.rpc')

local M = {}

--- @param ctx lsp.HandlerContext
--- @return vim.lsp.Client
local function client_of(ctx)
  return assert(vim.lsp.get_client_by_id(ctx.client_id))
end

--- @param applied boolean
--- @param reason? string
--- @return { applied: boolean, reason?: string }
local function answer(applied, reason)
  return { applied = applied, reason = not applied and reason or nil }
end

local function apply_edit(_, params, ctx)
  local client = client_of(ctx)
  local buf = rpc.buffer_of(client, params.uri)
  if not buf then
    return answer(false, 'the document is not open')
  end
  local applied, reason = edit.apply(buf, params, client.offset_encoding)
  rpc.flush(client)
  return answer(applied, reason)
end

--- The LSP request, should a server ask for it: strict as well. The stock handler says yes of stale edits.
local function workspace_apply_edit(_, params, ctx)
  local client = client_of(ctx)
  local documents = params.edit.documentChanges
  if not documents or params.edit.changes then
    return { applied = false, failureReason = 'only documentChanges are understood' }
  end
  for _, each in ipairs(documents) do
    local buf = each.textDocument and rpc.buffer_of(client, each.textDocument.uri)
    if each.kind or not buf then
      return { applied = false, failureReason = 'only edits of open documents are understood' }
    elseif each.textDocument.version ~= vim.lsp.util.buf_versions[buf] then
      return { applied = false, failureReason = 'the edit is for another version' }
    elseif not vim.bo[buf].modifiable or vim.bo[buf].readonly then
      return { applied = false, failureReason = 'the buffer can not be changed' }
    end
  end
  for _, each in ipairs(documents) do
    local buf = rpc.buffer_of(client, each.textDocument.uri) --[[@as integer]]
    vim.lsp.util.apply_text_edits(each.edits, buf, client.offset_encoding)
  end
  rpc.flush(client)
  return { applied = true }
end

local function save_document(_, params, ctx)
  local client = client_of(ctx)
  local buf = rpc.buffer_of(client, params.uri)
  if not buf then
    return { saved = false, reason = 'the document is not open' }
  end
  local saved, reason = disk.save(buf, params.version)
  rpc.flush(client)
  return { saved = saved, reason = reason }
end

local function reload_document(_, params, ctx)
  local client = client_of(ctx)
  local buf = rpc.buffer_of(client, params.uri)
  local reloaded = buf ~= nil and disk.reload(buf)
  rpc.flush(client)
  return { reloaded = reloaded }
end

local function decorations(_, params, ctx)
  local client = client_of(ctx)
  local buf = rpc.buffer_of(client, params.uri)
  if not buf or not attach.is_settled(buf, client) then
    return
  end
  -- For another version, what is painted has moved with the typing, and another note follows.
  if vim.lsp.util.buf_versions[buf] == params.version then
    paint.paint(buf, params.version, params.hunks, client.offset_encoding)
  end
  vim.cmd.redrawstatus()
end

local function tool_call(_, params, ctx)
  require('dsh.cards').call(params)
  require('dsh.sessions').seen(client_of(ctx), params.sessionId)
end

local function tool_result(_, params)
  require('dsh.cards').result(params)
end

local function show_message(_, params)
  local say = require('dsh.say')
  if params.type <= vim.lsp.protocol.MessageType.Warning then
    say.warn(params.message)
  else
    say.info(params.message)
  end
  return vim.NIL
end

--- Known, and of no concern to a client without agents of its own.
local function nothing() end

--- @type table<string, lsp.Handler>
M.handlers = {
  ['dsh/applyEdit'] = apply_edit,
  ['dsh/saveDocument'] = save_document,
  ['dsh/reloadDocument'] = reload_document,
  ['dsh/decorations'] = decorations,
  ['dsh/toolCall'] = tool_call,
  ['dsh/toolResult'] = tool_result,
  ['dsh/drift'] = nothing,
  ['dsh/decided'] = nothing,
  ['workspace/applyEdit'] = workspace_apply_edit,
  ['window/showMessage'] = show_message,
  ['window/showMessageRequest'] = function(_, params, ctx)
    return require('dsh.ask').ask(params, ctx.client_id)
  end,
}

--- The server has ended.
--- @param id integer the client's
--- @param code integer
--- @param signal integer
--- @param asked boolean the user asked for it
function M.gone(id, code, signal, asked)
  -- It may be in Neovim's list still.
  local others = vim.tbl_filter(function(client)
    return client.id ~= id
  end, vim.lsp.get_clients({ name = rpc.NAME }))
  for _, buf in ipairs(paint.buffers()) do
    local client = rpc.client_of(buf)
    if not client or client.id == id then
      paint.clear(buf)
    end
  end
  require('dsh.ask').drop(id)
  if #others == 0 then
    require('dsh.sessions').forget()
  end
  if not asked and vim.v.exiting == vim.NIL then
    local how = signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
    require('dsh.say').warn(('dsh: the server has ended (%s); :Dsh start starts it again'):format(how))
  end
  vim.cmd.redrawstatus()
end

return M
