--- What a configuration and a statusline use of the plug-in. Everything else is reached with `:Dsh` and `<Plug>` maps.

local M = {}

--- Set options. It need not be called: without it, the defaults and `vim.g.dsh` are in force.
--- @param options? table<string, any> see |dsh-options|
function M.setup(options)
  require('dsh.config').set(options or {})
  if vim.v.vim_did_enter == 1 then
    require('dsh.paint').enabled = nil
    require('dsh.attach').repaint()
    require('dsh.attach').attach_all()
  end
end

--- Paint nothing, or paint again.
function M.toggle()
  local paint = require('dsh.paint')
  if paint.enabled == nil then
    paint.enabled = require('dsh.config').get().paint
  end
  paint.enabled = not paint.enabled
  require('dsh.attach').repaint()
end

--- What there is to say, for a statusline of your own.
--- @param buf? integer
--- @return { attached: boolean, sessions: integer, pending: integer, stale: boolean, questions: integer }
function M.status(buf)
  buf = (not buf or buf == 0) and vim.api.nvim_get_current_buf() or buf
  local state = require('dsh.paint').of(buf)
  return {
    attached = require('dsh.rpc').client_of(buf) ~= nil,
    sessions = require('dsh.sessions').live(),
    pending = state and #state.order or 0,
    stale = state ~= nil and state.version ~= vim.lsp.util.buf_versions[buf],
    questions = require('dsh.ask').count(),
  }
end

--- A component for a statusline: sessions, pending changes of the buffer, a mark while these are about an older text,
--- questions. Empty where the buffer is not attached.
--- @return string
function M.statusline()
  local status = M.status(vim.g.statusline_winid and vim.api.nvim_win_get_buf(vim.g.statusline_winid) or 0)
  if not status.attached then
    return ''
  end
  local parts = { 'dsh' }
  if status.sessions > 0 then
    parts[#parts + 1] = ('%d agent%s'):format(status.sessions, status.sessions == 1 and '' or 's')
  end
  if status.pending > 0 then
    parts[#parts + 1] = ('±%d%s'):format(status.pending, status.stale and '*' or '')
  end
  if status.questions > 0 then
    parts[#parts + 1] = ('%d?'):format(status.questions)
  end
  return table.concat(parts, ' ')
end

return M
