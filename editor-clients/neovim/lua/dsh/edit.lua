--- Answering `dsh/applyEdit`: all of it or nothing, by version and by content, one step of the undo history.

local api = vim.api
local text = require('dsh.text')

local M = {}

--- @class dsh.TextEdit
--- @field range dsh.Range
--- @field newText string

--- An edit in Neovim's places; the row of its end is the number of lines at the end of a text with 'eol'.
--- @class dsh.Change
--- @field sr integer
--- @field sc integer
--- @field er integer
--- @field ec integer
--- @field lines string[]

--- The edits in the buffer's places, the later of two that touch put to the earlier.
--- @param buf integer
--- @param edits dsh.TextEdit[]
--- @param encoding string
--- @return dsh.Change[]?
--- @return string? reason why not
local function changes_of(buf, edits, encoding)
  local places = text.places(buf)
  local ends = vim.bo[buf].fileformat == 'dos' and '\r?\n' or vim.bo[buf].fileformat == 'mac' and '\r\n?' or '\n'
  local changes = {} --- @type dsh.Change[]
  for _, edit in ipairs(edits) do
    local sr, sc = text.place(places, edit.range.start, encoding)
    local er, ec = text.place(places, edit.range['end'], encoding)
    if not (sr and sc and er and ec) or er < sr or (er == sr and ec < sc) then
      return nil, 'a range of the edit is outside of the text'
    end
    local lines = vim.split((edit.newText:gsub(ends, '\n')), '\n', { plain = true })
    local last = changes[#changes]
    if last and (sr < last.er or (sr == last.er and sc < last.ec)) then
      return nil, 'the edits overlap, or are not in order'
    elseif last and sr == last.er and sc == last.ec then
      last.lines[#last.lines] = last.lines[#last.lines] .. lines[1]
      vim.list_extend(last.lines, lines, 2)
      last.er, last.ec = er, ec
    else
      changes[#changes + 1] = { sr = sr, sc = sc, er = er, ec = ec, lines = lines }
    end
  end
  return changes
end

--- Replace up to the end of the text, which may come to have a final line end, or to have none.
--- @param buf integer
--- @param change dsh.Change
--- @return boolean eol
local function replace_to_end(buf, change)
  local count = api.nvim_buf_line_count(buf)
  local lines = change.lines
  local first = change.sr < count and api.nvim_buf_get_lines(buf, change.sr, change.sr + 1, true)[1] or ''
  local empty = change.sr == 0 and #lines == 1 and first:sub(1, change.sc) .. lines[1] == ''
  local tail = #lines == 1 and first:sub(1, change.sc) .. lines[1] or lines[#lines]
  local eol = tail == '' and not empty
  if change.sr == count then
    -- Behind the final line end.
    api.nvim_buf_set_lines(buf, count, count, false, eol and vim.list_slice(lines, 1, #lines - 1) or lines)
  elseif eol and #lines == 1 then
    api.nvim_buf_set_lines(buf, change.sr, count, false, {})
  else
    local last = api.nvim_buf_get_lines(buf, count - 1, count, true)[1]
    local kept = eol and vim.list_slice(lines, 1, #lines - 1) or lines
    api.nvim_buf_set_text(buf, change.sr, change.sc, count - 1, #last, kept)
  end
  return eol
end

--- The user's 'fixeol', of buffers in which an edit has taken the final line end away.
--- @type table<integer, boolean>
local fixeol_before = {}

--- Have a final line end, or none; a save must not put back what was taken away.
--- @param buf integer
--- @param eol boolean
local function set_eol(buf, eol)
  vim.bo[buf].eol = eol
  if not eol then
    fixeol_before[buf] = vim.bo[buf].fixeol
    vim.bo[buf].fixeol = false
  elseif fixeol_before[buf] ~= nil then
    vim.bo[buf].fixeol = fixeol_before[buf]
    fixeol_before[buf] = nil
  end
end

--- @param buf integer
--- @param changes dsh.Change[]
local function make(buf, changes)
  local eol = vim.bo[buf].eol
  local count = api.nvim_buf_line_count(buf)
  for index = #changes, 1, -1 do
    local change = changes[index]
    local at_end = change.er == count
    if not at_end and not eol and change.er == count - 1 then
      at_end = change.ec == #api.nvim_buf_get_lines(buf, count - 1, count, true)[1]
    end
    if at_end and index == #changes then
      local ends = replace_to_end(buf, change)
      if ends ~= eol then
        set_eol(buf, ends)
      end
    elseif change.sc == 0 and change.ec == 0 and change.lines[#change.lines] == '' then
      -- Whole lines: marks in the line behind them stay.
      local lines = vim.list_slice(change.lines, 1, #change.lines - 1)
      api.nvim_buf_set_lines(buf, change.sr, change.er, true, lines)
    else
      api.nvim_buf_set_text(buf, change.sr, change.sc, change.er, change.ec, change.lines)
    end
  end
end

--- How many changes are made one by one. Each costs a pass over all lines, as Neovim keeps the server up to date.
local FEW = 200

--- How many are made as one where there are more: marks between them come to stand at its edges.
local MANY = 64

--- The rows that somebody looks at or has the cursor in.
--- @param buf integer
--- @return table<integer, true>
local function rows_in_use(buf)
  local rows = {} --- @type table<integer, true>
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    rows[api.nvim_win_get_cursor(win)[1] - 1] = true
    rows[vim.fn.line('w0', win) - 1] = true
  end
  return rows
end

--- Changes as one that makes all of them.
--- @param lines string[] of the buffer
--- @param group dsh.Change[]
--- @return dsh.Change
local function as_one(lines, group)
  local made = {} --- @type string[]
  local function append(more)
    made[#made] = (made[#made] or '') .. more[1]
    vim.list_extend(made, more, 2)
  end
  made[1] = ''
  append(group[1].lines)
  for index = 2, #group do
    local before, after = group[index - 1], group[index]
    local first = lines[before.er + 1] or ''
    if before.er == after.sr then
      append({ first:sub(before.ec + 1, after.sc) })
    else
      local between = { first:sub(before.ec + 1) }
      vim.list_extend(between, lines, before.er + 2, after.sr)
      between[#between + 1] = (lines[after.sr + 1] or ''):sub(1, after.sc)
      append(between)
    end
    append(after.lines)
  end
  local first, last = group[1], group[#group]
  return { sr = first.sr, sc = first.sc, er = last.er, ec = last.ec, lines = made }
end

--- Fewer changes with the same outcome, where there are many; those at a cursor stay as they are.
--- @param buf integer
--- @param changes dsh.Change[]
--- @return dsh.Change[]
local function gathered(buf, changes)
  if #changes <= FEW then
    return changes
  end
  local lines = api.nvim_buf_get_lines(buf, 0, -1, true)
  local in_use, fewer = rows_in_use(buf), {} --- @type table<integer, true>, dsh.Change[]
  for from = 1, #changes, MANY do
    local group = vim.list_slice(changes, from, from + MANY - 1)
    local used = false
    for row in pairs(in_use) do
      used = used or (row >= group[1].sr and row <= group[#group].er)
    end
    if used then
      vim.list_extend(fewer, group)
    else
      fewer[#fewer + 1] = as_one(lines, group)
    end
  end
  return fewer
end

--- What is typed from now on is another step of the undo history than what was typed before, also in insert mode.
--- @param buf integer
local function new_undo_step(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

--- The marks `'a` to `'z` of a buffer. Replacing a line deletes those in it.
--- @param buf integer
--- @return table<string, { [1]: integer, [2]: integer }> row from 1, column from 0
local function letter_marks(buf)
  local marks = {} --- @type table<string, { [1]: integer, [2]: integer }>
  for _, each in ipairs(vim.fn.getmarklist(buf)) do
    local letter = each.mark:match("^'([a-z])$")
    if letter then
      marks[letter] = { each.pos[2], each.pos[3] - 1 }
    end
  end
  return marks
end

--- @param buf integer
--- @param before table<string, { [1]: integer, [2]: integer }>
local function restore_marks(buf, before)
  local now = letter_marks(buf)
  local count = api.nvim_buf_line_count(buf)
  for letter, place in pairs(before) do
    if not now[letter] then
      local row = math.min(place[1], count)
      local line = api.nvim_buf_get_lines(buf, row - 1, row, true)[1]
      api.nvim_buf_set_mark(buf, letter, row, math.min(place[2], #line), {})
    end
  end
end

--- Why a buffer can't be edited at all.
--- @param buf integer
--- @return string?
local function obstacle(buf)
  if not vim.bo[buf].modifiable then
    return "the buffer is not 'modifiable'"
  elseif vim.bo[buf].readonly then
    return "the buffer is 'readonly'"
  end
end

--- Apply edits to a buffer, if it is what they are for.
--- @param buf integer an attached buffer
--- @param params { version: integer, contentVersion: string, edits: dsh.TextEdit[] }
--- @param encoding string
--- @return boolean applied
--- @return string? reason why not
function M.apply(buf, params, encoding)
  local version = vim.lsp.util.buf_versions[buf]
  if version ~= params.version then
    return false, ('the edit is for version %d, the document is at %s'):format(params.version, tostring(version))
  end
  local reason = obstacle(buf)
  if reason then
    return false, reason
  end
  if text.content_version(buf) ~= params.contentVersion then
    return false, 'the document has another content'
  end
  local changes, outside = changes_of(buf, params.edits, encoding)
  if not changes then
    return false, outside
  end
  local before = api.nvim_buf_get_lines(buf, 0, -1, true)
  local eol, fixeol, marks = vim.bo[buf].eol, vim.bo[buf].fixeol, letter_marks(buf)
  new_undo_step(buf)
  local ok, err = pcall(make, buf, gathered(buf, changes))
  if not ok then
    -- Neovim allows no change now (a |textlock|), or another plug-in's reaction to one failed.
    pcall(api.nvim_buf_set_lines, buf, 0, -1, true, before)
    vim.bo[buf].eol, vim.bo[buf].fixeol = eol, fixeol
    return false, 'Neovim: ' .. tostring(err)
  end
  new_undo_step(buf)
  pcall(restore_marks, buf, marks)
  return true
end

return M
