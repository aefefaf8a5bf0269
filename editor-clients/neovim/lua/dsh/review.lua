--- Review: going from change to change, and keeping or undoing them.

local api = vim.api
local paint = require('dsh.paint')
local rpc = require('dsh.rpc')
local say = require('dsh.say')
local text = require('dsh.text')

local M = {}

--- @class dsh.Placed a hunk where it is now
--- @field id string
--- @field first integer row of its first line; of the line before which removed lines stood
--- @field last integer row of its last line
--- @field hunk dsh.Hunk

--- The hunks of a buffer from the top to the bottom.
--- @param buf integer
--- @return dsh.Placed[]
function M.placed(buf)
  local state = paint.of(buf)
  local placed = {} --- @type dsh.Placed[]
  local last = api.nvim_buf_line_count(buf) - 1
  for _, id in ipairs(state and state.order or {}) do
    local each = state and state.by_id[id]
    local row = paint.row(buf, id)
    if each and row then
      local first = math.min(row, last)
      local final = math.min(math.max(row, row + each.rows - 1), last)
      placed[#placed + 1] = { id = id, first = first, last = final, hunk = each.hunk }
    end
  end
  return placed
end

--- The hunk at a row: one that has the line, else one of lines removed at its edge.
--- @param buf integer
--- @param row integer
--- @return dsh.Placed?
function M.at(buf, row)
  local near --- @type dsh.Placed?
  for _, each in ipairs(M.placed(buf)) do
    local deleted = each.hunk.kind == 'deleted'
    if not deleted and row >= each.first and row <= each.last then
      return each
    elseif deleted and (row == each.first or row == each.first - 1) then
      near = near or each
    end
  end
  return near
end

--- @param count integer how many hunks further; negative for upwards
function M.go(count)
  local buf = api.nvim_get_current_buf()
  local placed = M.placed(buf)
  if #placed == 0 then
    say.info('dsh: nothing is pending in this buffer')
    return
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local index = count > 0 and 0 or #placed + 1
  for number, each in ipairs(placed) do
    if count > 0 and each.first <= row then
      index = number
    elseif count < 0 and each.first >= row and index > #placed then
      index = number
    end
  end
  local wanted = index + count
  if vim.o.wrapscan then
    wanted = (wanted - 1) % #placed + 1
  else
    wanted = math.max(1, math.min(#placed, wanted))
  end
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { placed[wanted].first + 1, 0 })
  vim.cmd('normal! zv^')
end

local DONE = { keep = 'kept', undo = 'undone' }

--- What became of a decision, said when it is not to be seen.
--- @param how 'keep'|'undo'
--- @param results { id: string, uri: string, status: string, reason?: string }[]
local function tell(how, results)
  local conflicts, files = {}, {} --- @type { reason?: string, uri: string }[], table<string, true>
  for _, each in ipairs(results) do
    files[each.uri] = true
    if each.status == 'conflict' then
      conflicts[#conflicts + 1] = each
    end
  end
  if #results == 0 then
    say.info('dsh: nothing is pending there any more')
  elseif #conflicts > 0 then
    local first = conflicts[1]
    local name = vim.fn.fnamemodify(vim.uri_to_fname(first.uri), ':.')
    local more = #conflicts > 1 and (' (and %d more)'):format(#conflicts - 1) or ''
    say.warn(('dsh: a change of %s could not be %s%s: %s'):format(name, DONE[how], more, first.reason or ''))
  elseif vim.tbl_count(files) > 1 then
    say.info(('dsh: %d changes in %d files %s'):format(#results, vim.tbl_count(files), DONE[how]))
  end
end

local function say_none()
  say.warn('dsh: no server is running; :Dsh start starts one')
end

--- Keep or undo what is named.
--- @param how 'keep'|'undo'
--- @param params table of `dsh/review/keep` and `undo`
function M.decide(how, params)
  local client = rpc.client_near(api.nvim_get_current_buf())
  if not client then
    say_none()
    return
  end
  rpc.request(client, 'dsh/review/' .. how, params, function(result)
    tell(how, result.results)
  end)
end

--- The buffer's URI, if it is a document of the server.
--- @param buf integer
--- @return string?
local function uri_of(buf)
  if not rpc.client_of(buf) then
    say.info('dsh: this buffer is not attached')
    return nil
  end
  return vim.uri_from_bufnr(buf)
end

--- Keep or undo the change under the cursor.
--- @param how 'keep'|'undo'
function M.here(how)
  local buf = api.nvim_get_current_buf()
  local each = M.at(buf, api.nvim_win_get_cursor(0)[1] - 1)
  if each then
    M.decide(how, { hunkIds = { each.id } })
  else
    say.info('dsh: no change is pending here')
  end
end

--- Keep or undo what lies in some lines of the current buffer, also parts of changes.
--- @param how 'keep'|'undo'
--- @param first integer row of the first line, 0-based
--- @param last integer row of the last line
function M.lines(how, first, last)
  local buf = api.nvim_get_current_buf()
  local uri = uri_of(buf)
  if uri then
    local start, behind = text.line_of_row(buf, first), text.line_of_row(buf, last + 1)
    M.decide(how, {
      uri = uri,
      range = { start = { line = start, character = 0 }, ['end'] = { line = behind, character = 0 } },
    })
  end
end

--- Keep or undo all of the current file.
--- @param how 'keep'|'undo'
function M.file(how)
  local uri = uri_of(api.nvim_get_current_buf())
  if uri then
    M.decide(how, { uri = uri })
  end
end

--- Keep or undo everything that is pending, in all files.
--- @param how 'keep'|'undo'
function M.all(how)
  local asked = rpc.request_all('dsh/review/' .. how, { all = true }, 'results', function(results)
    tell(how, results)
  end)
  if not asked then
    say_none()
  end
end

--- Select the change under the cursor: a text object.
--- @return string keys
function M.select()
  local each = M.at(api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1)
  if each and each.hunk.kind ~= 'deleted' then
    return ('<Cmd>normal! %dGV%dG<CR>'):format(each.first + 1, each.last + 1)
  end
  -- An operator that is given nothing would do its work at the cursor.
  return vim.fn.mode(1):sub(1, 2) == 'no' and '<Esc>' or ''
end

local KINDS = { added = 'added', modified = 'modified', deleted = 'removed' }

--- @param hunk dsh.Hunk|{ uri: string }
--- @return table an entry of the quickfix list
local function entry(hunk)
  local name = vim.uri_to_fname(hunk.uri)
  local line = hunk.range.start.line
  local buf = vim.fn.bufnr(vim.fn.fnameescape(name))
  local client = buf >= 0 and rpc.client_of(buf)
  local row = client and text.place(text.places(buf), { line = line, character = 0 }, client.offset_encoding)
  local author = hunk.author and ' by ' .. vim.fn.strtrans(hunk.author) or ''
  local first = hunk.removedText ~= '' and ': ' .. vim.fn.strtrans(vim.split(hunk.removedText, '\n')[1]) or ''
  local what = ('%s (+%d -%d)%s%s'):format(KINDS[hunk.kind], hunk.addedLines, hunk.removedLines, author, first)
  return { filename = name, lnum = (row or line) + 1, col = 1, text = what, type = 'I' }
end

--- Put everything that is pending into the quickfix list, and open it.
function M.quickfix()
  local asked = rpc.request_all('dsh/review/list', vim.empty_dict(), 'hunks', function(hunks)
    vim.fn.setqflist({}, ' ', { title = 'Pending changes by agents', items = vim.tbl_map(entry, hunks) })
    if #hunks == 0 then
      say.info('dsh: nothing is pending')
      vim.cmd.cclose()
    else
      local win = api.nvim_get_current_win()
      vim.cmd('botright copen')
      api.nvim_set_current_win(win)
    end
  end)
  if not asked then
    say_none()
  end
end

return M
