-- Loaded by Neovim when it starts: commands, <Plug> maps and the events that attach buffers. The rest of the plug-in is
-- read when the first of them is used.

if vim.g.loaded_dsh then
  return
end
vim.g.loaded_dsh = 1

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('dsh: Neovim 0.10 or newer is needed', vim.log.levels.ERROR)
  return
end

require('dsh.commands').create()
require('dsh.maps').create()
require('dsh.highlights').create()

local group = vim.api.nvim_create_augroup('dsh.attach', { clear = true })

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufWritePost' }, {
  group = group,
  desc = 'dsh: attach to the file',
  callback = function(event)
    require('dsh.attach').attach(event.buf)
  end,
})

-- Loaded after files were opened, by a plug-in manager or at the end of the start.
local function attach_all()
  vim.schedule(function()
    require('dsh.attach').attach_all()
  end)
end

if vim.v.vim_did_enter == 1 then
  attach_all()
else
  vim.api.nvim_create_autocmd('VimEnter', { group = group, once = true, callback = attach_all })
end
