--- Colours of code that is in no buffer of its own, by tree-sitter where there is a parser, else by `:syntax`.

local api = vim.api

local M = {}

--- Characters of a text that are coloured at most; more takes longer than a person waits.
local MOST = 20000

--- Line (from 1), first and last byte, group.
--- @alias dsh.Colours { [1]: integer, [2]: integer, [3]: integer, [4]: string }[]

--- @param source string
--- @param filetype string
--- @return dsh.Colours?
local function by_tree(source, filetype)
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  local ok, parser = pcall(vim.treesitter.get_string_parser, source, language)
  local query = ok and vim.treesitter.query.get(language, 'highlights')
  if not ok or not parser or not query then
    return nil
  end
  local colours = {} --- @type dsh.Colours
  for _, tree in ipairs(parser:parse() or {}) do
    for id, node in query:iter_captures(tree:root(), source, 0, -1) do
      local sr, sc, er, ec = node:range()
      local name = query.captures[id]
      if sr == er and not vim.startswith(name, '_') and name ~= 'spell' and name ~= 'nospell' then
        colours[#colours + 1] = { sr + 1, sc, ec, ('@%s.%s'):format(name, language) }
      end
    end
  end
  return colours
end

--- @param lines string[]
--- @param filetype string
--- @return dsh.Colours
local function by_syntax(lines, filetype)
  local colours = {} --- @type dsh.Colours
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].undolevels = -1
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  api.nvim_buf_call(buf, function()
    vim.bo[buf].syntax = filetype
    for number, line in ipairs(lines) do
      local from, last = 1, 0
      for column = 1, #line + 1 do
        local id = column <= #line and vim.fn.synIDtrans(vim.fn.synID(number, column, 1)) or -1
        if id ~= last then
          if last > 0 then
            colours[#colours + 1] = { number, from - 1, column - 1, vim.fn.synIDattr(last, 'name') }
          end
          from, last = column, id
        end
      end
    end
  end)
  api.nvim_buf_delete(buf, { force = true })
  return colours
end

--- The colours of some lines, as if they were in that file.
--- @param path string
--- @param lines string[]
--- @return dsh.Colours
function M.colours(path, lines)
  local source = table.concat(lines, '\n')
  local filetype = vim.filetype.match({ filename = path })
  if not filetype or source == '' or #source > MOST then
    return {}
  end
  local ok, colours = pcall(by_tree, source, filetype)
  if ok and colours then
    return colours
  end
  ok, colours = pcall(by_syntax, lines, filetype)
  return ok and colours or {}
end

return M
