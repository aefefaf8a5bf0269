--- Texts of buffers as the protocol has them: the content version, and places in both countings.
---
--- LSP's lines end at `\n`, `\r\n` and `\r`; Neovim's at the one that 'fileformat' says. Where a lone `\r` stands in a
--- line, the numbers differ. A text that ends with a line end has an empty last line for LSP, and 'eol' for Neovim.

local api = vim.api

local M = {}

--- @class dsh.Position
--- @field line integer
--- @field character integer

--- @class dsh.Range
--- @field start dsh.Position
--- @field end dsh.Position

--- The text as it is sent to the server, but with `\n` for `\r\n`, so that it has the content version.
--- @param buf integer
--- @return string
function M.logical(buf)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, true)
  local text = table.concat(lines, '\n') .. (vim.bo[buf].eol and '\n' or '')
  if vim.bo[buf].fileformat == 'mac' then
    -- Sent with `\r` between the lines, which is no `\r\n`.
    return (table.concat(lines, '\r') .. (vim.bo[buf].eol and '\r' or ''))
  end
  -- NUL is a line feed in Neovim's lines.
  return (text:gsub('\r\n', '\n'))
end

--- SHA-256 of the logical text.
--- @param buf integer
--- @return string
function M.content_version(buf)
  return vim.fn.sha256(M.logical(buf))
end

--- Whether a line may end in the middle of one of Neovim's.
--- @param buf integer
--- @return boolean
function M.has_lone_returns(buf)
  for _, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, true)) do
    if line:find('\r', 1, true) then
      return true
    end
  end
  return false
end

--- @class dsh.Places the lines of a buffer at one moment, for converting places both ways
--- @field lines string[]
--- @field eol boolean
--- @field starts? { [1]: integer, [2]: integer }[] row and column of each of LSP's lines, where they are not Neovim's

--- @param buf integer
--- @return dsh.Places
function M.places(buf)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, true)
  local dos = vim.bo[buf].fileformat == 'dos'
  local eol = vim.bo[buf].eol
  local starts --- @type { [1]: integer, [2]: integer }[]?
  for row, line in ipairs(lines) do
    if starts or line:find('\r', 1, true) then
      if not starts then
        starts = {}
        for before = 1, row - 1 do
          starts[before] = { before - 1, 0 }
        end
      end
      starts[#starts + 1] = { row - 1, 0 }
      -- A `\r` at the end of a line has its `\n` behind it, unless the line ends with `\r\n` or not at all.
      local ended = not dos and (row < #lines or eol)
      for at in line:gmatch('()\r') do
        if not (ended and at == #line) then
          starts[#starts + 1] = { row - 1, at }
        end
      end
    end
  end
  if starts and eol then
    starts[#starts + 1] = { #lines, 0 }
  end
  return { lines = lines, eol = eol, starts = starts }
end

--- The byte in a text that so many units of an encoding go before; nil if the text has not so many.
--- @param text string
--- @param units integer
--- @param encoding string
--- @return integer?
local function byte_at(text, units, encoding)
  if encoding == 'utf-8' then
    local inside = units < #text and vim.str_utf_start(text, units + 1) ~= 0
    return units <= #text and not inside and units or nil
  end
  local ok, byte --- @type boolean, integer
  if vim.fn.has('nvim-0.11') == 1 then
    ok, byte = pcall(vim.str_byteindex, text, encoding, units, true)
  else
    ok, byte = pcall(vim.str_byteindex, text, units, encoding == 'utf-16')
  end
  return ok and byte or nil
end

--- Where a position is: row and byte column, 0-based. The row is the number of lines at the end of a text with 'eol'.
--- @param places dsh.Places
--- @param position dsh.Position
--- @param encoding string
--- @return integer? row nil if there is no such place
--- @return integer? column
function M.place(places, position, encoding)
  local row, start = position.line, 0
  if places.starts then
    local found = places.starts[position.line + 1]
    if not found then
      return nil
    end
    row, start = found[1], found[2]
  end
  if row == #places.lines and places.eol then
    if position.character == 0 then
      return row, 0
    end
    return nil
  end
  local line = places.lines[row + 1]
  if not line then
    return nil
  end
  local byte = byte_at(line:sub(start + 1), position.character, encoding)
  if not byte then
    return nil
  end
  return row, start + byte
end

--- LSP's line for a row of the buffer, both 0-based.
--- @param buf integer
--- @param row integer
--- @return integer
function M.line_of_row(buf, row)
  local places = M.places(buf)
  if not places.starts then
    return row
  end
  for line, start in ipairs(places.starts) do
    if start[1] == row then
      return line - 1
    end
  end
  return #places.starts
end

return M
