--- Messages for the user: one line each, never so long that Neovim asks for a key. All of a message can be read again.

local M = {}

--- What was said, the latest last.
--- @type string[]
M.said = {}

local MOST = 200

--- @param text string
--- @param level integer one of `vim.log.levels`
local function say(text, level)
  M.said[#M.said + 1] = text
  if #M.said > MOST then
    table.remove(M.said, 1)
  end
  -- The command line has `showcmd` and the ruler beside it; a message that fills it asks for a key.
  local width = math.max(20, vim.o.columns - 25)
  local line = vim.fn.strtrans((text:gsub('%s*[\r\n].*', ' … (:Dsh messages)')))
  if vim.fn.strdisplaywidth(line) > width then
    line = vim.fn.strcharpart(line, 0, width - 1) .. '…'
  end
  vim.schedule(function()
    vim.notify(line, level, { title = 'dsh' })
  end)
end

--- @param text string
function M.info(text)
  say(text, vim.log.levels.INFO)
end

--- @param text string
function M.warn(text)
  say(text, vim.log.levels.WARN)
end

return M
