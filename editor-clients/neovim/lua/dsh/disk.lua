--- Saving and reloading single buffers when the server asks: without a question, and never over somebody else's work.

local api = vim.api

local M = {}

--- What the file was like when the buffer was last read or written.
--- @type table<integer, string>
local seen = {}

--- @param buf integer
--- @return string
local function identity(buf)
  local stat = vim.uv.fs_stat(api.nvim_buf_get_name(buf))
  if not stat then
    return 'absent'
  end
  return ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino)
end

--- The buffer and its file agree now.
--- @param buf integer
function M.agree(buf)
  seen[buf] = identity(buf)
end

--- @param buf integer
function M.forget(buf)
  seen[buf] = nil
end

--- Have Neovim look at the file, as it does when it gets the focus, without its questions.
--- @param buf integer
--- @return boolean changed the file is another one than the buffer was read from, and the buffer was left as it is
local function check(buf)
  local changed = false
  local id = api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      changed = true
      vim.v.fcs_choice = ''
    end,
  })
  pcall(vim.cmd.checktime, { args = { tostring(buf) }, mods = { silent = true } })
  pcall(api.nvim_del_autocmd, id)
  return changed
end

--- Whether the encoding of the file has all characters of the text: Neovim writes others as question marks.
--- @param buf integer
--- @return boolean
local function is_encodable(buf)
  local encoding = vim.bo[buf].fileencoding
  if encoding == '' or encoding == 'utf-8' then
    return true
  end
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), '\n')
  local there = vim.iconv(text, 'utf-8', encoding)
  return there ~= nil and vim.iconv(there, encoding, 'utf-8') == text
end

--- Write a buffer.
--- @param buf integer
--- @param version integer
--- @return boolean saved
--- @return string? reason
function M.save(buf, version)
  if vim.lsp.util.buf_versions[buf] ~= version then
    return false, ('the document is at version %s'):format(tostring(vim.lsp.util.buf_versions[buf]))
  elseif vim.bo[buf].readonly or vim.bo[buf].buftype ~= '' then
    return false, 'the buffer can not be written'
  elseif (seen[buf] and seen[buf] ~= identity(buf)) or check(buf) then
    return false, 'the file was changed on disk'
  elseif not is_encodable(buf) then
    return false, ("the encoding '%s' of the file has not all characters of the text"):format(vim.bo[buf].fileencoding)
  end
  local fixeol = vim.bo[buf].fixeol
  if not vim.bo[buf].eol then
    -- An edit elsewhere in the file is no reason to add a line end to its last line.
    vim.bo[buf].fixeol = false
  end
  local ok, err = pcall(api.nvim_buf_call, buf, function()
    -- The bang is for the question that Neovim would ask; what it is about was looked at above.
    vim.cmd('silent lockmarks keepalt write!')
  end)
  if api.nvim_buf_is_valid(buf) then
    vim.bo[buf].fixeol = fixeol
  end
  if not ok then
    return false, tostring(err)
  elseif vim.bo[buf].modified then
    return false, 'the buffer was not written'
  end
  return true
end

--- Read a buffer again that has nothing unsaved, if its file is another one now.
--- @param buf integer
--- @return boolean reloaded
function M.reload(buf)
  if vim.bo[buf].modified or identity(buf) == 'absent' then
    return false
  end
  local autoread = vim.bo[buf].autoread
  vim.bo[buf].autoread = true
  local changed = check(buf)
  if api.nvim_buf_is_valid(buf) then
    vim.bo[buf].autoread = autoread
  end
  return not changed
end

return M
