-- What tests look at in Neovim: the global `View`. Nothing of it is part of the plug-in, and `paint` reads marks alone.

View = {}

local api = vim.api

local function client_of(buf)
  return vim.lsp.get_clients({ name = 'dsh', bufnr = buf })[1]
end

function View.attached(buf)
  local client = client_of(buf)
  return client ~= nil and client.initialized == true
end

-- The text as the server must have it.
function View.text(buf)
  buf = buf == 0 and api.nvim_get_current_buf() or buf
  return vim.lsp._buf_get_full_text(buf)
end

-- True once the server has answered something that was asked after all changes.
function View.synced()
  local client = vim.lsp.get_clients({ name = 'dsh' })[1]
  if not client then
    return false
  end
  if View.asked == nil then
    View.asked = false
    client:request('dsh/tool/list', vim.empty_dict(), function()
      View.asked = true
    end)
  elseif View.asked then
    View.asked = nil
    return true
  end
  return false
end

-- Whether a buffer is painted for the text that it has.
function View.painted(buf, where)
  local state = require('dsh.paint').of(buf)
  if not state then
    return where({})
  end
  if state.version ~= vim.lsp.util.buf_versions[buf] then
    return false
  end
  return where(state.hunks)
end

local COLOURS = { DshAdded = 'added', DshModified = 'modified' }

-- What is to be seen of hunks, from the marks alone: see `paint_of` in tests/support/transcript.py.
function View.paint(buf)
  local paint = { added = {}, modified = {}, words = {}, removed = {}, authors = {}, finalNewline = {}, signs = {} }
  local count = api.nvim_buf_line_count(buf)
  local namespace = api.nvim_get_namespaces().dsh
  for _, each in ipairs(api.nvim_buf_get_extmarks(buf, namespace, 0, -1, { details = true })) do
    local row, column, details = each[2], each[3], each[4]
    local kind = COLOURS[details.hl_group]
    if kind then
      for line = row, details.end_row - (details.end_col == 0 and 1 or 0) do
        table.insert(paint[kind], line)
      end
    elseif details.hl_group == 'DshWord' then
      table.insert(paint.words, { row, column, details.end_col })
    end
    if details.sign_text then
      for line = row, details.end_row or row do
        table.insert(paint.signs, { line, details.sign_hl_group })
      end
    end
    if details.virt_lines then
      local before = details.virt_lines_above and row or row + 1
      local lines = {}
      for index, line in ipairs(details.virt_lines) do
        lines[index] = line[1][1]:gsub(' *$', '')
      end
      table.insert(paint.removed, { before = before, lines = lines })
    end
    for _, chunk in ipairs(details.virt_text or {}) do
      local said = vim.trim(chunk[1])
      if chunk[2] == 'DshAuthor' then
        table.insert(paint.authors, { row, said })
      elseif said:find('^final line end') then
        table.insert(paint.finalNewline, (said:gsub('^final line end ', '')))
      end
    end
  end
  paint.count = count
  return paint
end

-- Cards as the panel shows them: the text of all of it, and the states by call.
function View.panel()
  local buf = vim.fn.bufnr('dsh://panel')
  if buf < 0 then
    return ''
  end
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

local function canonical(paint)
  local kept = {}
  for _, name in ipairs({ 'added', 'modified', 'words', 'removed', 'authors', 'finalNewline' }) do
    kept[name] = vim.tbl_map(function(item)
      return type(item) == 'table' and item.before and vim.json.encode({ item.before, item.lines })
        or vim.json.encode(item)
    end, paint[name])
    table.sort(kept[name])
  end
  return kept
end

-- Whether what is painted is this, whatever the order.
function View.shows(buf, wanted)
  return vim.deep_equal(canonical(View.paint(buf)), canonical(wanted))
end

-- Keep or undo a hunk as a person does it: with the cursor on it.
function View.decide(how, id)
  for _, each in ipairs(require('dsh.review').placed(api.nvim_get_current_buf())) do
    if each.id == id then
      api.nvim_win_set_cursor(0, { each.first + 1, 0 })
    end
  end
  require('dsh.review').here(how)
end

-- Whether a call is shown in a state, and all of these texts can be read.
function View.card(call, state, contains)
  local panel = View.panel()
  for _, card in ipairs(require('dsh.cards').all) do
    if card.callId == call then
      for _, text in ipairs(contains) do
        if not panel:find(text, 1, true) then
          return false
        end
      end
      return card.state == state
    end
  end
  return false
end
