--- Recorded sessions: choosing one, showing it, and what became of it.

local api = vim.api
local rpc = require('dsh.rpc')
local say = require('dsh.say')
local sessions = require('dsh.sessions')

local M = {}

--- @return vim.lsp.Client?
local function client()
  local found = rpc.client_near(api.nvim_get_current_buf())
  if not found then
    say.warn('dsh: no server is running; :Dsh start starts one')
  end
  return found
end

--- Show a recorded session in the panel.
--- @param id? string
function M.show(id)
  local found = client()
  if not id then
    say.warn('dsh: :Dsh replay takes a session; :Dsh sessions lets you choose one')
  elseif found then
    rpc.request(found, 'dsh/session/replay', { sessionId = id }, function(result)
      local cards = {} --- @type dsh.Card[]
      for index, each in ipairs(result.cards) do
        local failed = each.result and each.result.code ~= nil
        cards[index] = {
          key = each.callId,
          sessionId = id,
          callId = each.callId,
          name = each.name,
          state = not each.result and 'running' or failed and 'failed' or 'done',
          view = each.result or each.call,
          open = false,
        }
      end
      require('dsh.panel').show({ name = sessions.name(id), cards = cards })
      if result.unreadable > 0 then
        say.warn(("dsh: %d lines of the session's journal could not be read"):format(result.unreadable))
      end
    end)
  end
end

--- Have the user choose a session, and show it.
function M.choose()
  local found = client()
  if not found then
    return
  end
  sessions.refresh(found, function(listed)
    if #listed == 0 then
      say.info('dsh: no session is recorded in this workspace')
      return
    end
    vim.ui.select(listed, {
      prompt = 'Show a session:',
      format_item = function(session)
        local state = session.ended and 'ended' or session.live and 'at work' or 'not at work'
        return ('%s  since %s, %s'):format(sessions.name(session.sessionId), session.startedAt:sub(1, 16), state)
      end,
    }, function(session)
      if session then
        M.show(session.sessionId)
      end
    end)
  end)
end

--- Say what a session did to files.
--- @param id? string without it, that of the latest card
function M.summary(id)
  local all = require('dsh.cards').all
  id = id or (all[#all] and all[#all].sessionId)
  local found = client()
  if not id then
    say.info('dsh: no session has done anything yet')
  elseif found then
    rpc.request(found, 'dsh/review/summary', { sessionId = id }, function(result)
      local lines = { ('%s: %d files changed'):format(sessions.name(id), result.changed) }
      for _, file in ipairs(result.files) do
        local counts = ('+%d -%d, %d kept, %d undone, %d pending'):format(
          file.added,
          file.removed,
          file.kept,
          file.undone,
          file.pending
        )
        lines[#lines + 1] = ('%s%s: %s'):format(vim.fn.strtrans(file.path), file.created and ' (new)' or '', counts)
      end
      local others = ('calls refused: %d, failed: %d, denied: %d'):format(result.refused, result.failed, result.denied)
      lines[#lines + 1] = others
      vim.lsp.util.open_floating_preview(lines, '', { border = 'rounded', focusable = true, title = ' dsh ' })
    end)
  end
end

return M
