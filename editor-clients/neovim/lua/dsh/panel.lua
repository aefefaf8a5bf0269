--- The panel: a buffer that shows cards as they come. It never takes the focus, and it follows the newest card unless
--- its cursor was moved away from the end.

local api = vim.api
local card_lines = require('dsh.card_lines')
local cards = require('dsh.cards')
local config = require('dsh.config')
local sessions = require('dsh.sessions')
local syntax = require('dsh.syntax')

local M = {}

local namespace = api.nvim_create_namespace('dsh.panel')

--- Milliseconds in which changes are gathered.
local GATHER = 30

--- @class dsh.Block a card in the panel
--- @field card dsh.Card
--- @field count integer lines
--- @field drawn dsh.Lines
--- @field more integer lines that are not shown

--- @type integer?
local panel

--- @type dsh.Block[]
local blocks = {}

--- @type table<dsh.Card, true>
local due = {}
local all_due = false
local is_due = false

--- A recorded session that is shown in place of what runs.
--- @type { name: string, cards: dsh.Card[] }?
local recorded

--- @return dsh.Card[]
local function shown_cards()
  return recorded and recorded.cards or cards.all
end

--- @param card dsh.Card
--- @return dsh.Lines lines
--- @return integer more
local function draw(card)
  local drawn = card_lines.of(card)
  local most = math.max(1, config.get().panel_lines)
  local more = 0
  if not card.open and #drawn.lines > most + 1 then
    more = #drawn.lines - most
    drawn.lines = vim.list_slice(drawn.lines, 1, most)
    drawn.lines[most + 1] = ('  … %d more lines: <CR> shows them'):format(more)
    drawn.marks[#drawn.marks + 1] = { most + 1, 0, #drawn.lines[most + 1], 'DshCut' }
    drawn.targets[most + 1] = nil
  end
  drawn.lines[#drawn.lines + 1] = ''
  return drawn, more
end

--- @param buf integer
--- @param first integer row of the block's first line
--- @param block dsh.Block
local function colour(buf, first, block)
  local drawn, count = block.drawn, #block.drawn.lines
  local function mark(line, from, to, group, priority)
    if line < count and from < to then
      api.nvim_buf_set_extmark(buf, namespace, first + line - 1, from, {
        end_col = to,
        hl_group = group,
        priority = priority,
        strict = false,
      })
    end
  end
  for _, each in ipairs(drawn.bars) do
    if each[1] < count then
      api.nvim_buf_set_extmark(buf, namespace, first + each[1] - 1, 0, {
        end_row = first + each[1],
        hl_group = each[2],
        hl_eol = true,
        priority = 90,
        strict = false,
      })
    end
  end
  for _, code in ipairs(drawn.code) do
    local texts = vim.tbl_map(function(line)
      return line[3]
    end, code.lines)
    for _, each in ipairs(syntax.colours(code.path, texts)) do
      local line = code.lines[each[1]]
      mark(line[1], line[2] + each[2], line[2] + each[3], each[4], 100)
    end
  end
  for _, each in ipairs(drawn.marks) do
    mark(each[1], each[2], each[3], each[4], 110)
  end
  api.nvim_buf_set_extmark(buf, namespace, first, 0, {
    virt_text = { { sessions.name(block.card.sessionId) .. ' ', 'DshNote' } },
    virt_text_pos = 'right_align',
    hl_mode = 'combine',
  })
end

--- The windows of the panel whose cursor is at the end.
--- @return integer[]
local function following()
  local wins = {} --- @type integer[]
  for _, win in ipairs(panel and vim.fn.win_findbuf(panel) or {}) do
    if
      api.nvim_win_get_cursor(win)[1] >= api.nvim_buf_line_count(panel --[[@as integer]]) - 1
    then
      wins[#wins + 1] = win
    end
  end
  return wins
end

--- @param buf integer
--- @param first integer
--- @param last integer
--- @param lines string[]
local function replace(buf, first, last, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_clear_namespace(buf, namespace, first, last)
  api.nvim_buf_set_lines(buf, first, last, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

--- @param buf integer
local function draw_all(buf)
  blocks = {}
  local lines = {} --- @type string[]
  if recorded then
    lines = { ('Recorded session %s'):format(recorded.name), '' }
  end
  local firsts = {} --- @type integer[]
  for index, card in ipairs(shown_cards()) do
    local drawn, more = draw(card)
    firsts[index] = #lines
    blocks[index] = { card = card, count = #drawn.lines, drawn = drawn, more = more }
    vim.list_extend(lines, drawn.lines)
  end
  if #lines == 0 then
    lines = { 'Nothing has been done by agents since the server was started.' }
  end
  replace(buf, 0, -1, lines)
  for index, block in ipairs(blocks) do
    colour(buf, firsts[index], block)
  end
end

--- @param buf integer
--- @param first integer
--- @param block dsh.Block
local function draw_block(buf, first, block)
  local drawn, more = draw(block.card)
  replace(buf, first, first + block.count, drawn.lines)
  block.drawn, block.count, block.more = drawn, #drawn.lines, more
  colour(buf, first, block)
end

local function update()
  is_due = false
  local buf = panel
  if not buf or not api.nvim_buf_is_loaded(buf) then
    due, all_due = {}, false
    return
  end
  local wins = following()
  if all_due or #blocks == 0 then
    draw_all(buf)
  else
    local first = 0
    for _, block in ipairs(blocks) do
      if due[block.card] then
        due[block.card] = nil
        draw_block(buf, first, block)
      end
      first = first + block.count
    end
    for index = #blocks + 1, #cards.all do
      local drawn, more = draw(cards.all[index])
      blocks[index] = { card = cards.all[index], count = #drawn.lines, drawn = drawn, more = more }
      replace(buf, first, -1, drawn.lines)
      colour(buf, first, blocks[index])
      first = first + #drawn.lines
    end
  end
  due, all_due = {}, false
  for _, win in ipairs(wins) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
  end
end

--- A card, or all of them, are not as they were.
--- @param card? dsh.Card
function M.changed(card)
  if not panel or (recorded and card) then
    return
  end
  if card then
    due[card] = true
  else
    all_due = true
  end
  if not is_due then
    is_due = true
    vim.defer_fn(update, GATHER)
  end
end

--- @param row integer
--- @return dsh.Block?
--- @return integer line from 1
local function block_at(row)
  local first = recorded and 2 or 0
  for _, block in ipairs(blocks) do
    if row < first + block.count then
      return block, row - first + 1
    end
    first = first + block.count
  end
  return nil, 0
end

--- The window to open a file in: the last one used, if it shows a file.
--- @return integer?
local function window_for_files()
  local candidates = { vim.fn.win_getid(vim.fn.winnr('#')) }
  vim.list_extend(candidates, api.nvim_tabpage_list_wins(0))
  for _, win in ipairs(candidates) do
    if win ~= 0 and api.nvim_win_is_valid(win) and vim.bo[api.nvim_win_get_buf(win)].buftype == '' then
      return win
    end
  end
end

--- @param path string
--- @return string
local function absolute(path)
  if vim.startswith(path, '/') then
    return path
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = 'dsh' })) do
    local found = vim.fs.joinpath(client.config.root_dir --[[@as string]], path)
    if vim.uv.fs_stat(found) then
      return found
    end
  end
  return path
end

--- Do what a line of the panel offers: jump to its place, or show the rest of its card.
function M.follow()
  local block, line = block_at(api.nvim_win_get_cursor(0)[1] - 1)
  if not block then
    return
  end
  local target = block.drawn.targets[line]
  if target then
    local win = window_for_files()
    if win then
      api.nvim_set_current_win(win)
    else
      vim.cmd('leftabove vsplit')
    end
    vim.cmd.edit({ args = { absolute(target.path) }, magic = { file = false, bar = false } })
    local last = api.nvim_buf_line_count(0)
    pcall(api.nvim_win_set_cursor, 0, { math.min(target.line, last), target.column - 1 })
    vim.cmd('normal! zvzz')
  elseif block.more > 0 or block.card.open then
    block.card.open = not block.card.open
    all_due = true
    update()
  end
end

--- @return integer
local function buffer()
  if panel and api.nvim_buf_is_loaded(panel) then
    return panel
  elseif panel and api.nvim_buf_is_valid(panel) then
    -- What `:bdelete` leaves has its name alone.
    api.nvim_buf_delete(panel, { force = true })
  end
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(buf, 'dsh://panel')
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = 'dsh-panel'
  vim.keymap.set('n', '<CR>', M.follow, { buffer = buf, desc = 'dsh: go to the place, or show the rest' })
  vim.keymap.set('n', 'q', '<C-w>c', { buffer = buf, desc = 'dsh: close the panel' })
  panel = buf
  return buf
end

--- @return vim.api.keyset.win_config
local function place()
  local options = config.get()
  local wide = options.panel_position == 'left' or options.panel_position == 'right'
  local whole = wide and vim.o.columns or vim.o.lines
  local size = options.panel_size < 1 and math.floor(whole * options.panel_size) or math.floor(options.panel_size)
  size = math.max(1, math.min(size, whole - 4))
  return { split = options.panel_position, win = -1, width = wide and size or nil, height = not wide and size or nil }
end

--- Open the panel in this tab page, if it is not; the focus stays where it is.
function M.open()
  local buf = buffer()
  all_due = true
  update()
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage() then
      return
    end
  end
  local win = api.nvim_open_win(buf, false, place())
  vim.wo[win].wrap = true
  vim.wo[win].breakindent = true
  vim.wo[win].number = false
  vim.wo[win].relativenumber = false
  vim.wo[win].signcolumn = 'no'
  vim.wo[win].spell = false
  vim.wo[win].list = false
  vim.wo[win].winfixwidth = true
  api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
end

--- Open the panel, or close it where it is open in this tab page.
function M.toggle()
  for _, win in ipairs(panel and vim.fn.win_findbuf(panel) or {}) do
    if api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage() and #api.nvim_tabpage_list_wins(0) > 1 then
      api.nvim_win_close(win, true)
      return
    end
  end
  recorded = nil
  M.open()
end

--- Show a recorded session in place of what runs; nil for what runs.
--- @param session { name: string, cards: dsh.Card[] }?
function M.show(session)
  recorded = session
  M.open()
end

return M
