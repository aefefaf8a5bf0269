--- The text from before the pending changes, beside the buffer in diff mode.

local api = vim.api
local paint = require('dsh.paint')
local rpc = require('dsh.rpc')
local say = require('dsh.say')
local text = require('dsh.text')

local M = {}

--- The lines of the text from before, made from those of the buffer and its hunks.
--- @param buf integer
--- @param hunks dsh.Hunk[] of the text that the buffer has
--- @param encoding string
--- @return string[]
function M.base(buf, hunks, encoding)
  local places = text.places(buf)
  local base, from = {}, 1 --- @type string[], integer
  for _, hunk in ipairs(hunks) do
    local start = hunk.range.start
    local line = start.line + (start.character > 0 and 1 or 0)
    local row = text.place(places, { line = line, character = 0 }, encoding) or #places.lines
    vim.list_extend(base, places.lines, from, math.min(row, #places.lines))
    if hunk.removedLines > 0 then
      vim.list_extend(base, vim.split(hunk.removedText, '\n', { plain = true }))
    end
    from = row + hunk.addedLines + 1
  end
  return vim.list_extend(base, places.lines, from)
end

--- The window that shows the text from before of a buffer.
--- @param buf integer
--- @return integer?
local function window_of(buf)
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if vim.b[api.nvim_win_get_buf(win)].dsh_base_of == buf then
      return win
    end
  end
end

--- Give the split the text from before, if it is another one now.
--- @param base integer
--- @param lines string[]
local function fill(base, lines)
  if not vim.deep_equal(lines, api.nvim_buf_get_lines(base, 0, -1, true)) then
    vim.bo[base].modifiable = true
    api.nvim_buf_set_lines(base, 0, -1, true, lines)
  end
  vim.bo[base].modifiable = false
end

--- Keep the split the text from before, through edits and decisions.
--- @param buf integer
--- @param base integer
--- @param encoding string
local function follow(buf, base, encoding)
  api.nvim_create_autocmd('User', {
    pattern = 'DshPainted',
    desc = 'dsh: show the text from before the changes that are pending now',
    callback = function(event)
      if not api.nvim_buf_is_valid(base) then
        return true
      elseif event.data.buf == buf and api.nvim_buf_is_loaded(buf) then
        local state = paint.of(buf)
        fill(base, M.base(buf, state and state.hunks or {}, encoding))
      end
    end,
  })
end

--- @param buf integer
--- @param win integer
--- @param lines string[]
--- @param encoding string
local function open(buf, win, lines, encoding)
  local base = api.nvim_create_buf(false, true)
  fill(base, lines)
  local name = vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ':t')
  pcall(api.nvim_buf_set_name, base, ('dsh://before/%d/%s'):format(base, name))
  vim.bo[base].bufhidden = 'wipe'
  vim.b[base].dsh_base_of = buf
  local other = api.nvim_open_win(base, false, { split = 'left', win = win })
  api.nvim_win_call(other, function()
    -- No FileType event: nothing shall attach to it.
    vim.bo[base].syntax = vim.bo[buf].syntax ~= '' and vim.bo[buf].syntax or vim.bo[buf].filetype
    vim.cmd.diffthis()
  end)
  api.nvim_win_call(win, vim.cmd.diffthis)
  paint.set_beside(buf, true, encoding)
  follow(buf, base, encoding)
  api.nvim_create_autocmd('BufWipeout', {
    buffer = base,
    callback = function()
      for _, each in ipairs(vim.fn.win_findbuf(buf)) do
        api.nvim_win_call(each, vim.cmd.diffoff)
      end
      paint.set_beside(buf, false, encoding)
    end,
  })
end

--- Open the text from before in a split, or close it. The cursor stays where it is.
function M.toggle()
  local buf, win = api.nvim_get_current_buf(), api.nvim_get_current_win()
  local shown = window_of(vim.b[buf].dsh_base_of or buf)
  local client = rpc.client_of(buf)
  if shown then
    api.nvim_win_close(shown, true)
  elseif not client then
    say.info('dsh: this buffer is not attached')
  else
    rpc.request(client, 'dsh/review/list', { uri = vim.uri_from_bufnr(buf) }, function(result)
      if #result.hunks == 0 then
        say.info('dsh: nothing is pending in this buffer')
      elseif not window_of(buf) and api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
        open(buf, win, M.base(buf, result.hunks, client.offset_encoding), client.offset_encoding)
      end
    end)
  end
end

return M
