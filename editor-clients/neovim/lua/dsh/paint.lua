--- Painting hunks with extmarks. They move with the typing; a note of the server replaces them.
---
--- A hunk that is where it was and looks as it looked is left alone, so that a note after a keystroke costs one pass
--- over the marks. What can be seen is painted at once, the rest of thousands of hunks in slices.

local api = vim.api
local config = require('dsh.config')
local text = require('dsh.text')

local M = {}

M.namespace = api.nvim_create_namespace('dsh')

local SLICE = 250

--- @class dsh.Hunk as the server tells of it
--- @field id string
--- @field sessionId string
--- @field callId string
--- @field kind 'added'|'modified'|'deleted'
--- @field range dsh.Range
--- @field removedText string
--- @field addedLines integer
--- @field removedLines integer
--- @field author? string
--- @field noNewlineAtEnd? { old: boolean, new: boolean }
--- @field words? dsh.Range[]

--- @class dsh.Painted a hunk in a buffer
--- @field hunk dsh.Hunk
--- @field row integer where it was painted: its first line, or the line before which the removed lines stood
--- @field rows integer how many lines it has
--- @field looks string
--- @field anchor integer the mark that stays with its first line
--- @field behind boolean there is no line at its place, and the anchor is at the one before
--- @field marks integer[]

--- @class dsh.Paint what is painted in a buffer
--- @field version integer the document's version that the hunks are of
--- @field hunks dsh.Hunk[]
--- @field by_id table<string, dsh.Painted>
--- @field order string[] the ids, from the top to the bottom
--- @field turn integer counts what was painted, so that a slice of an older one stops

--- @type table<integer, dsh.Paint>
local painted = {}

--- Buffers beside which the text from before stands: it shows what has changed, and the paint only whose it is.
--- @type table<integer, true>
local beside = {}

--- Whether anything is painted, in all buffers.
M.enabled = nil --- @type boolean?

--- @return boolean
local function enabled()
  if M.enabled == nil then
    M.enabled = config.get().paint
  end
  return M.enabled --[[@as boolean]]
end

--- What is known of a buffer's hunks; also while they are not painted.
--- @param buf integer
--- @return dsh.Paint?
function M.of(buf)
  return painted[buf]
end

--- The row of a hunk, in the buffer as it is now.
--- @param buf integer
--- @param id string
--- @return integer? row the number of lines, for lines that were removed behind the last one
function M.row(buf, id)
  local state = painted[buf]
  local each = state and state.by_id[id]
  if not each then
    return nil
  end
  local place = api.nvim_buf_get_extmark_by_id(buf, M.namespace, each.anchor, {})
  if #place == 0 then
    return each.row
  end
  return place[1] + (each.behind and 1 or 0)
end

--- @param line string
--- @param buf integer
--- @param columns integer
--- @return string
local function bar(line, buf, columns)
  -- Virtual text shows no tabs, and its colour ends with it.
  local width = vim.bo[buf].tabstop
  local shown, column = {}, 0 --- @type string[], integer
  for part, tab in line:gmatch('([^\t]*)(\t?)') do
    local visible = vim.fn.strtrans(part)
    column = column + vim.fn.strdisplaywidth(visible)
    shown[#shown + 1] = visible
    if tab ~= '' then
      local spaces = width - column % width
      column = column + spaces
      shown[#shown + 1] = (' '):rep(spaces)
    end
  end
  return table.concat(shown) .. (' '):rep(math.max(0, columns - column))
end

--- @param hunk dsh.Hunk
--- @return string?
local function final_line_end(hunk)
  local ends = hunk.noNewlineAtEnd
  if ends then
    return ends.old and 'final line end added' or 'final line end removed'
  end
end

--- @param hunk dsh.Hunk
--- @param buf integer
--- @return { [1]: string, [2]: string }[][]
local function removed_lines(hunk, buf)
  local options = config.get()
  local columns = vim.o.columns
  local shown = {} --- @type { [1]: string, [2]: string }[][]
  local lines = vim.split(hunk.removedText, '\n', { plain = true })
  for index = 1, math.min(#lines, options.removed_most) do
    shown[index] = { { bar(lines[index], buf, columns), 'DshRemoved' } }
  end
  if #lines > options.removed_most then
    local left = ('%d more removed lines are not shown'):format(#lines - options.removed_most)
    shown[#shown + 1] = { { bar(left, buf, columns), 'DshCut' } }
  end
  if hunk.kind == 'deleted' and options.author and hunk.author then
    -- There is no line of its own to say it at.
    local first = lines[1] and bar(lines[1], buf, 0) or ''
    local name = '  ' .. vim.fn.strtrans(hunk.author)
    local space = math.max(0, columns - vim.fn.strdisplaywidth(first .. name))
    shown[1] = { { first, 'DshRemoved' }, { name, { 'DshRemoved', 'DshAuthor' } }, { (' '):rep(space), 'DshRemoved' } }
  end
  return shown
end

--- @param buf integer
--- @param row integer
--- @param column integer
--- @param options vim.api.keyset.set_extmark
--- @return integer
local function mark(buf, row, column, options)
  options.strict = false
  return api.nvim_buf_set_extmark(buf, M.namespace, row, column, options)
end

local CAPITAL = { added = 'Added', modified = 'Modified', deleted = 'Deleted' }

--- @param buf integer
--- @param each dsh.Painted
--- @param places dsh.Places
--- @param encoding string
local function paint_lines(buf, each, places, encoding)
  local options, hunk = config.get(), each.hunk
  local group = hunk.kind == 'added' and 'DshAdded' or 'DshModified'
  local marks = each.marks
  marks[#marks + 1] = mark(buf, each.row, 0, {
    end_row = each.row + each.rows,
    end_col = 0,
    -- Not `line_hl_group`, which hides the words.
    hl_group = group,
    hl_eol = true,
    priority = options.priority,
  })
  for _, word in ipairs(options.words and hunk.words or {}) do
    local row, column = text.place(places, word.start, encoding)
    local _, last = text.place(places, word['end'], encoding)
    if row and last and row < #places.lines then
      marks[#marks + 1] = mark(buf, row, column --[[@as integer]], {
        end_row = row,
        end_col = last,
        hl_group = 'DshWord',
        priority = options.priority + 1,
      })
    end
  end
end

--- @param buf integer
--- @param each dsh.Painted
--- @param places dsh.Places
--- @param encoding string
local function paint_one(buf, each, places, encoding)
  local options, hunk, count = config.get(), each.hunk, #places.lines
  local row = math.min(each.row, count - 1)
  local words = {} --- @type { [1]: string, [2]: string }[]
  if enabled() then
    if each.rows > 0 and not beside[buf] then
      paint_lines(buf, each, places, encoding)
    end
    if options.signs then
      each.marks[#each.marks + 1] = mark(buf, row, 0, {
        -- A mark of its own: it is on every line up to that of its end.
        end_row = each.rows > 1 and row + each.rows - 1 or nil,
        end_col = each.rows > 1 and 0 or nil,
        sign_text = options.sign_text[hunk.kind],
        sign_hl_group = 'DshSign' .. CAPITAL[hunk.kind],
        priority = options.priority,
      })
    end
    if options.removed and hunk.removedLines > 0 and not beside[buf] then
      each.marks[#each.marks + 1] = mark(buf, row, 0, {
        virt_lines = removed_lines(hunk, buf),
        virt_lines_above = each.row < count,
      })
    end
    if options.author and hunk.author and each.rows > 0 then
      words[1] = { '  ' .. vim.fn.strtrans(hunk.author), 'DshAuthor' }
    end
    local ending = final_line_end(hunk)
    if ending then
      words[#words + 1] = { '  ' .. ending, 'DshNote' }
    end
  end
  each.anchor =
    mark(buf, row, 0, { virt_text = #words > 0 and words or nil, virt_text_pos = 'eol', hl_mode = 'combine' })
  each.behind = each.row >= count
end

--- @param buf integer
--- @param each dsh.Painted
local function remove(buf, each)
  api.nvim_buf_del_extmark(buf, M.namespace, each.anchor)
  for _, id in ipairs(each.marks) do
    api.nvim_buf_del_extmark(buf, M.namespace, id)
  end
end

--- How a hunk looks, apart from its place.
--- @param hunk dsh.Hunk
--- @param line integer
--- @return string
local function looks_of(hunk, line)
  local parts = { hunk.kind, hunk.addedLines, hunk.removedText, hunk.removedLines, hunk.author or '' }
  for _, word in ipairs(hunk.words or {}) do
    parts[#parts + 1] = ('%d %d %d'):format(word.start.line - line, word.start.character, word['end'].character)
  end
  parts[#parts + 1] = final_line_end(hunk) or ''
  return table.concat(parts, '\1')
end

--- Make lines above the first one seen, in windows that are at the top already.
--- @param buf integer
function M.show_top(buf)
  local state = painted[buf]
  local first = state and state.by_id[state.order[1]]
  if not (first and enabled() and config.get().removed) or beside[buf] then
    return
  elseif first.row > 0 or first.hunk.removedLines == 0 then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local height = api.nvim_win_get_height(win)
    local lines = math.min(first.hunk.removedLines, config.get().removed_most + 1, height - 1)
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      if view.topline == 1 and view.topfill < lines and vim.fn.winline() + lines <= height then
        vim.fn.winrestview({ topline = 1, topfill = lines })
      end
    end)
  end
end

--- The rows that are in view in some window.
--- @param buf integer
--- @return { [1]: integer, [2]: integer }[]
local function rows_in_view(buf)
  return vim.tbl_map(function(win)
    return { vim.fn.line('w0', win) - 2, vim.fn.line('w$', win) + 1 }
  end, vim.fn.win_findbuf(buf))
end

--- @param buf integer
--- @param state dsh.Paint
--- @param due dsh.Painted[]
--- @param places dsh.Places
--- @param encoding string
local function paint_all(buf, state, due, places, encoding)
  local views = #due > SLICE and rows_in_view(buf) or {}
  local later = {} --- @type dsh.Painted[]
  for index, each in ipairs(due) do
    local seen = #due <= SLICE or index <= SLICE
    for _, view in ipairs(views) do
      seen = seen or (each.row >= view[1] and each.row <= view[2])
    end
    if seen then
      paint_one(buf, each, places, encoding)
    else
      -- The marks that hunks are found by are there at once.
      each.anchor = mark(buf, math.min(each.row, #places.lines - 1), 0, {})
      later[#later + 1] = each
    end
  end
  local turn, tick = state.turn, api.nvim_buf_get_changedtick(buf)
  local function slice(from)
    local current = painted[buf]
    if current ~= state or state.turn ~= turn or not api.nvim_buf_is_loaded(buf) then
      return
    end
    if api.nvim_buf_get_changedtick(buf) ~= tick then
      -- Typing came between: the places are others now. Another note follows, and paints what is not painted yet.
      for index = from, #later do
        later[index].looks = ''
      end
      return
    end
    for index = from, math.min(from + SLICE - 1, #later) do
      api.nvim_buf_del_extmark(buf, M.namespace, later[index].anchor)
      paint_one(buf, later[index], places, encoding)
    end
    if from + SLICE <= #later then
      vim.defer_fn(function()
        slice(from + SLICE)
      end, 1)
    end
  end
  if #later > 0 then
    vim.schedule(function()
      slice(1)
    end)
  end
end

--- Paint the hunks of a document, which is at their version.
--- @param buf integer
--- @param version integer
--- @param hunks dsh.Hunk[]
--- @param encoding string
function M.paint(buf, version, hunks, encoding)
  local before = painted[buf] or { by_id = {}, order = {}, turn = 0 }
  local rows = {} --- @type table<integer, integer>
  if next(before.by_id) then
    for _, each in ipairs(api.nvim_buf_get_extmarks(buf, M.namespace, 0, -1, {})) do
      rows[each[1]] = each[2]
    end
  end
  local state = { version = version, hunks = hunks, by_id = {}, order = {}, turn = before.turn + 1 } --- @type dsh.Paint
  local places = #hunks > 0 and text.places(buf) or { lines = {}, eol = true }
  local due = {} --- @type dsh.Painted[]
  for index, hunk in ipairs(hunks) do
    local start = hunk.range.start
    -- Where no line is behind the place, it is the end of the text, in its last line.
    local line = start.line + (start.character > 0 and 1 or 0)
    local row = text.place(places, { line = line, character = 0 }, encoding) or #places.lines
    local looks = looks_of(hunk, line)
    local old = before.by_id[hunk.id]
    local there = old and rows[old.anchor] == math.min(row, #places.lines - 1) and old.rows == hunk.addedLines
    if old and there and old.looks == looks and old.behind == (row >= #places.lines) then
      old.hunk, old.row = hunk, row
      state.by_id[hunk.id] = old
      before.by_id[hunk.id] = nil
    else
      local each =
        { hunk = hunk, row = row, rows = hunk.addedLines, looks = looks, anchor = 0, behind = false, marks = {} }
      state.by_id[hunk.id] = each
      due[#due + 1] = each
    end
    state.order[index] = hunk.id
  end
  for _, each in pairs(before.by_id) do
    remove(buf, each)
  end
  painted[buf] = #hunks > 0 and state or nil
  if #hunks > 0 then
    paint_all(buf, state, due, places, encoding)
    M.show_top(buf)
  end
  api.nvim_exec_autocmds('User', { pattern = 'DshPainted', modeline = false, data = { buf = buf } })
end

--- Paint nothing in a buffer, and forget its hunks.
--- @param buf integer
function M.clear(buf)
  painted[buf] = nil
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, M.namespace, 0, -1)
  end
end

--- Paint all buffers anew, such as after an option or the width of the screen has changed. Where typing has come since
--- the last note, what was painted is taken away, and the next note is painted.
--- @param encoding_of fun(buf: integer): string?
--- @param only? integer this buffer alone
function M.repaint(encoding_of, only)
  local bufs = only and { painted[only] and only } or vim.tbl_keys(painted)
  for _, buf in ipairs(bufs) do
    local state, encoding = painted[buf], encoding_of(buf)
    local hunks, version = state.hunks, state.version
    if encoding and vim.lsp.util.buf_versions[buf] == version then
      M.clear(buf)
      M.paint(buf, version, hunks, encoding)
    else
      for _, each in pairs(state.by_id) do
        for _, id in ipairs(each.marks) do
          api.nvim_buf_del_extmark(buf, M.namespace, id)
        end
        each.marks, each.looks = {}, ''
      end
    end
  end
end

--- The text from before stands beside a buffer from now on, or does not any more.
--- @param buf integer
--- @param is_beside boolean
--- @param encoding string
function M.set_beside(buf, is_beside, encoding)
  beside[buf] = is_beside and true or nil
  M.repaint(function(each)
    return each == buf and encoding or nil
  end, buf)
end

--- The buffers that have hunks.
--- @return integer[]
function M.buffers()
  return vim.tbl_keys(painted)
end

return M
