--- The sessions of agents, as the statusline and the panel name them.

local rpc = require('dsh.rpc')

local M = {}

--- @class dsh.Session
--- @field sessionId string
--- @field agent? { name: string, version?: string }
--- @field startedAt string
--- @field lastAt? string
--- @field live boolean
--- @field ended boolean

--- @type table<string, dsh.Session|false> false until the server has told of it
local known = {}

--- Ask the server for its sessions.
--- @param client vim.lsp.Client
--- @param done? fun(sessions: dsh.Session[])
function M.refresh(client, done)
  rpc.request(client, 'dsh/session/list', vim.empty_dict(), function(result)
    local is_named = false
    for _, session in ipairs(result.sessions) do
      local before = M.name(session.sessionId)
      known[session.sessionId] = session
      is_named = is_named or before ~= M.name(session.sessionId)
    end
    vim.cmd.redrawstatus()
    if is_named then
      -- The panel says whose a card is.
      require('dsh.cards').changed()
    end
    if done then
      done(result.sessions)
    end
  end, function(message)
    if done then
      require('dsh.say').warn('dsh: ' .. message)
    end
  end)
end

--- A session has done something.
--- @param client vim.lsp.Client
--- @param id string
function M.seen(client, id)
  local session = known[id]
  if session == nil then
    known[id] = false
    M.refresh(client)
  elseif session then
    session.live, session.ended = true, false
  end
end

-- Nobody tells that a session has ended: the server is asked when the user is there and does nothing.
vim.api.nvim_create_autocmd({ 'CursorHold', 'CursorHoldI', 'FocusGained' }, {
  group = vim.api.nvim_create_augroup('dsh.sessions', { clear = true }),
  desc = 'dsh: ask whether the agents are still there',
  callback = function()
    if M.live() > 0 then
      for _, client in ipairs(vim.lsp.get_clients({ name = rpc.NAME })) do
        M.refresh(client)
      end
    end
  end,
})

--- How many sessions are at work, as far as is known.
--- @return integer
function M.live()
  local count = 0
  for _, session in pairs(known) do
    if session == false or (session.live and not session.ended) then
      count = count + 1
    end
  end
  return count
end

--- Who a session is, for people.
--- @param id string
--- @return string
function M.name(id)
  local session = known[id]
  local agent = session and session.agent
  local name = agent and agent.name or 'agent'
  return ('%s %s'):format(vim.fn.strtrans(name), id:sub(1, 8))
end

--- The ids that are known, for completion.
--- @return string[]
function M.ids()
  return vim.tbl_keys(known)
end

--- The server is gone.
function M.forget()
  known = {}
end

return M
