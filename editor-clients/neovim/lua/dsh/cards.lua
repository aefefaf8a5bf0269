--- The cards of all sessions, in the order in which their calls began.

local config = require('dsh.config')

local M = {}

--- @class dsh.Card
--- @field key string
--- @field sessionId string
--- @field callId string
--- @field name string
--- @field state 'running'|'done'|'failed'
--- @field view table the completed view, else the pending one
--- @field open boolean all of its lines are shown

--- @type dsh.Card[]
M.all = {}

--- @type table<string, dsh.Card>
local by_key = {}

--- @param params { sessionId: string, callId: string }
--- @return string
local function key_of(params)
  return params.sessionId .. '\0' .. params.callId
end

--- Something is not as it was.
--- @param card? dsh.Card nil for all of them
function M.changed(card)
  local panel = package.loaded['dsh.panel']
  if panel then
    panel.changed(card)
  end
end

--- @param params { sessionId: string, callId: string, name: string }
--- @return dsh.Card
local function card_of(params)
  local key = key_of(params)
  local card = by_key[key]
  if not card then
    card = {
      key = key,
      sessionId = params.sessionId,
      callId = params.callId,
      name = params.name,
      state = 'running',
      view = {},
      open = false,
    }
    by_key[key] = card
    M.all[#M.all + 1] = card
    while #M.all > math.max(1, config.get().panel_cards) do
      by_key[table.remove(M.all, 1).key] = nil
      M.changed()
    end
  end
  return card
end

--- A call is about to run. Told again of one that has ended (a replay), its result follows.
--- @param params table
function M.call(params)
  local card = card_of(params)
  card.state, card.view = 'running', params.view
  M.changed(card)
end

--- A call has ended.
--- @param params table
function M.result(params)
  local card = card_of(params)
  card.state, card.view = params.isError and 'failed' or 'done', params.view
  M.changed(card)
end

return M
