--- Cards as lines with highlights. A switch on the kind of card; no tool is known by its name. Pure.

local M = {}

--- @class dsh.Lines
--- @field lines string[]
--- @field marks { [1]: integer, [2]: integer, [3]: integer, [4]: string }[] line (from 1), first and last byte, group
--- @field bars { [1]: integer, [2]: string }[] lines with a colour of their own, to the edge
--- @field targets table<integer, { path: string, line: integer, column: integer }> where a line jumps to
--- @field code { path: string, lines: { [1]: integer, [2]: integer, [3]: string }[] }[] line, first byte, text
--- @field agent? string said at the right of the first line

local BODY = '  '

--- @param text any
--- @return string
local function visible(text)
  return vim.fn.strtrans(tostring(text))
end

--- The lines of a text, control characters made visible, tabs as spaces; colours of a terminal are taken out.
--- @param text string
--- @return string[]
local function split(text)
  local plain = text:gsub('\27%[[%d;?]*[%a]', ''):gsub('\r\n', '\n')
  local lines = vim.split(plain, '\n', { plain = true })
  if #lines > 1 and lines[#lines] == '' then
    lines[#lines] = nil
  end
  return vim.tbl_map(function(line)
    return visible((line:gsub('\t', '    ')))
  end, lines)
end

--- @param out dsh.Lines
--- @param text string
--- @param group? string
--- @return integer line
local function add(out, text, group)
  out.lines[#out.lines + 1] = text
  if group then
    out.marks[#out.marks + 1] = { #out.lines, 0, #text, group }
  end
  return #out.lines
end

--- @param out dsh.Lines
--- @param text string
local function cut(out, text)
  add(out, BODY .. '… ' .. text, 'DshCut')
end

--- @param out dsh.Lines
--- @param view table
local function notes(out, view)
  for _, note in ipairs(view.notes or {}) do
    add(out, BODY .. visible(note), 'DshNote')
  end
end

--- @param out dsh.Lines
--- @param view table
local function generic(out, view)
  if view.text then
    for _, line in ipairs(split(view.text)) do
      add(out, BODY .. line)
    end
  elseif type(view.input) == 'table' then
    local names = vim.tbl_keys(view.input)
    table.sort(names, function(one, other)
      return tostring(one) < tostring(other)
    end)
    for _, name in ipairs(names) do
      local value = view.input[name]
      local shown = type(value) == 'string' and value or vim.json.encode(value)
      add(out, ('%s%s: %s'):format(BODY, visible(name), visible(shown)), 'DshNote')
    end
  end
end

--- @param out dsh.Lines
--- @param view table
local function terminal(out, view)
  for index, line in ipairs(split(view.command)) do
    add(out, BODY .. (index == 1 and '$ ' or '  ') .. line, 'DshTitle')
  end
  if view.cwd then
    add(out, BODY .. 'in ' .. visible(view.cwd), 'DshNote')
  end
  if view.output == nil then
    return
  end
  if view.output ~= '' then
    for _, line in ipairs(split(view.output)) do
      add(out, BODY .. line)
    end
  end
  if view.truncated then
    cut(out, 'the output is cut')
  end
  local code = view.exitCode
  if type(code) == 'number' then
    add(out, ('%sexit code %d'):format(BODY, code), code == 0 and 'DshNote' or 'DshFailed')
  else
    add(out, BODY .. 'did not end by itself', 'DshFailed')
  end
end

--- @param one string
--- @param other string
--- @return integer[][]
local function compare(one, other)
  -- `vim.diff` became `vim.text.diff`.
  local diff = vim.text and vim.text.diff or vim.diff
  return diff(one, other, { result_type = 'indices' }) --[[@as integer[][] ]]
end

--- @param out dsh.Lines
--- @param diff { path: string, oldText?: string, newText: string, hunks: table[] }
local function block(out, diff)
  local at = diff.hunks and diff.hunks[1]
  if at then
    local place = ('@@ -%d,%d +%d,%d @@'):format(at.oldStart, at.oldLines, at.newStart, at.newLines)
    out.targets[add(out, BODY .. place, 'DshNote')] = { path = diff.path, line = math.max(1, at.newStart), column = 1 }
  end
  local old = type(diff.oldText) == 'string' and diff.oldText or ''
  local before, after = split(old), split(diff.newText)
  before = old == '' and {} or before
  after = diff.newText == '' and {} or after
  local code = { path = diff.path, lines = {} }
  local number = at and at.newStart or 1
  local function line(sign, text, bar)
    local index = add(out, BODY .. sign .. text)
    if bar then
      out.bars[#out.bars + 1] = { index, bar }
    end
    code.lines[#code.lines + 1] = { index, #BODY + 1, text }
    if at then
      out.targets[index] = { path = diff.path, line = math.max(1, number), column = 1 }
    end
  end
  local from, to = 1, 1
  local function same(until_old)
    while from <= until_old do
      line(' ', before[from])
      from, to, number = from + 1, to + 1, number + 1
    end
  end
  local function whole(lines)
    return #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
  end
  for _, each in ipairs(compare(whole(before), whole(after))) do
    local start, count, new_start, new_count = each[1], each[2], each[3], each[4]
    same(math.min(count == 0 and start or start - 1, #before))
    for index = start, start + count - 1 do
      if before[index] then
        line('-', before[index], 'DshRemoved')
      end
    end
    from = math.max(from, count == 0 and start + 1 or start + count)
    for index = new_start, new_start + new_count - 1 do
      if after[index] then
        line('+', after[index], 'DshAdded')
        number = number + 1
      end
    end
    to = new_start + new_count
  end
  same(#before)
  out.code[#out.code + 1] = code
end

local OPERATIONS = { created = 'created', modified = 'edited', unchanged = 'unchanged' }

--- @param out dsh.Lines
--- @param view table
local function diff(out, view)
  if view.operation then
    local saved = view.saved and '' or ', not saved'
    local where = view.via == 'buffer' and ', in the buffer' or ''
    local what = ('%s +%d -%d%s%s'):format(OPERATIONS[view.operation] or '', view.added, view.removed, where, saved)
    out.targets[add(out, ('%s%s: %s'):format(BODY, visible(view.path), what), 'DshNote')] =
      { path = view.path, line = 1, column = 1 }
  else
    out.targets[add(out, BODY .. visible(view.path), 'DshNote')] = { path = view.path, line = 1, column = 1 }
  end
  for _, each in ipairs(view.diffs or {}) do
    block(out, each)
  end
  if view.truncated then
    cut(out, 'too large a change to be told apart line by line: it is shown as one')
  end
  notes(out, view)
end

--- @param out dsh.Lines
--- @param view table
local function read(out, view)
  local dirty = view.dirty and ', with unsaved typing' or ''
  local range = view.lines == 0 and ('no lines of %d'):format(view.totalLines)
    or ('lines %d-%d of %d'):format(view.offset, view.offset + view.lines - 1, view.totalLines)
  out.targets[add(out, ('%s%s: %s%s'):format(BODY, visible(view.path), range, dirty), 'DshNote')] =
    { path = view.path, line = view.offset, column = 1 }
  local width = #tostring(view.offset + view.lines)
  local code = { path = view.path, lines = {} }
  for index, line in ipairs(view.lines > 0 and split(view.text) or {}) do
    local number = ('%s%' .. width .. 'd '):format(BODY, view.offset + index - 1)
    local at = add(out, number .. line)
    out.marks[#out.marks + 1] = { at, 0, #number, 'DshNote' }
    out.targets[at] = { path = view.path, line = view.offset + index - 1, column = 1 }
    code.lines[#code.lines + 1] = { at, #number, line }
  end
  out.code[#out.code + 1] = code
  for _, each in ipairs(view.cutLines or {}) do
    cut(out, ('line %d: %d of %d characters are shown'):format(each.line, each.shown, each.total))
  end
  if view.truncated then
    cut(out, 'not all of the file is shown')
  end
  notes(out, view)
end

--- @param out dsh.Lines
--- @param view table
local function search(out, view)
  for _, hit in ipairs(view.hits or {}) do
    local place = visible(hit.path) .. (hit.line and (':%d'):format(hit.line) or '')
    local line = add(out, BODY .. place .. (hit.text and '  ' .. visible((hit.text:gsub('\t', '    '))) or ''))
    out.marks[#out.marks + 1] = { line, #BODY, #BODY + #place, 'Directory' }
    out.targets[line] = { path = hit.path, line = hit.line or 1, column = hit.column or 1 }
  end
  local count = #(view.hits or {})
  local total = (view.atLeast and 'more than ' or '') .. tostring(view.total)
  if view.truncated or count < view.total then
    cut(out, ('%d of %s are shown'):format(count, total))
  else
    add(out, ('%s%s found'):format(BODY, total), 'DshNote')
  end
  notes(out, view)
end

--- @param out dsh.Lines
--- @param view table
local function web(out, view)
  local status = type(view.status) == 'number' and ('  %d'):format(view.status) or ''
  add(out, BODY .. visible(view.url) .. status, 'DshNote')
  for _, line in ipairs(split(view.text)) do
    add(out, BODY .. line)
  end
  if view.truncated then
    cut(out, 'the text is cut')
  end
end

local KINDS = { generic = generic, terminal = terminal, diff = diff, read = read, search = search, web = web }

local STATES = {
  running = { '◌', 'DshRunning' },
  done = { '●', 'DshDone' },
  failed = { '✗', 'DshFailed' },
}

--- A card's lines, the first being its title.
--- @param card dsh.Card
--- @return dsh.Lines
function M.of(card)
  local out = { lines = {}, marks = {}, bars = {}, targets = {}, code = {} } --- @type dsh.Lines
  local sign, group = STATES[card.state][1], STATES[card.state][2]
  local title = visible(card.view.title or card.name)
  local code = type(card.view.code) == 'string' and '  ' .. visible(card.view.code) or ''
  add(out, ('%s %s%s'):format(sign, title, code))
  out.marks[1] = { 1, 0, #sign, group }
  out.marks[2] = { 1, #sign, #sign + 1 + #title, 'DshTitle' }
  if code ~= '' then
    out.marks[3] = { 1, #sign + 1 + #title, #out.lines[1], 'DshFailed' }
  end
  local draw = KINDS[card.view.card]
  if draw then
    draw(out, card.view)
  else
    add(out, BODY .. 'a kind of card that only a later version knows', 'DshNote')
  end
  return out
end

return M
