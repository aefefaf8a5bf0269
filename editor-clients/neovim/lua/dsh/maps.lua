--- Maps: `<Plug>` ones for everything, and a default set in attached buffers, which an option switches off.

local api = vim.api
local config = require('dsh.config')

local M = {}

--- @class dsh.Map
--- @field plug string the name inside `<Plug>(dsh-…)`
--- @field modes string[]
--- @field doc string
--- @field default? string what it is mapped to; `L` stands for the option `leader`
--- @field run fun(): string? an expression if it returns one

--- Do something again with `.`: it becomes an operator on the line under the cursor.
--- @param name string a function of this module
--- @return fun(): string
local function repeatable(name)
  return function()
    vim.go.operatorfunc = ("v:lua.require'dsh.maps'.%s"):format(name)
    return 'g@l'
  end
end

function M.keep_here()
  require('dsh.review').here('keep')
end

function M.undo_here()
  require('dsh.review').here('undo')
end

--- @param how 'keep'|'undo'
--- @return fun()
local function selected(how)
  return function()
    local first, last = vim.fn.line('v') - 1, vim.fn.line('.') - 1
    api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
    require('dsh.review').lines(how, math.min(first, last), math.max(first, last))
  end
end

--- @type dsh.Map[]
M.maps = {
  {
    plug = 'next',
    modes = { 'n', 'x' },
    default = ']a',
    doc = 'Go to the next change; a count goes further.',
    run = function()
      require('dsh.review').go(vim.v.count1)
    end,
  },
  {
    plug = 'previous',
    modes = { 'n', 'x' },
    default = '[a',
    doc = 'Go to the previous change.',
    run = function()
      require('dsh.review').go(-vim.v.count1)
    end,
  },
  {
    plug = 'keep',
    modes = { 'n' },
    default = 'Lk',
    doc = 'Keep the change under the cursor. |.| repeats it.',
    run = repeatable('keep_here'),
  },
  {
    plug = 'undo',
    modes = { 'n' },
    default = 'Lu',
    doc = 'Undo the change under the cursor. |.| repeats it.',
    run = repeatable('undo_here'),
  },
  {
    plug = 'keep',
    modes = { 'x' },
    default = 'Lk',
    doc = 'Keep what lies in the selected lines.',
    run = selected('keep'),
  },
  {
    plug = 'undo',
    modes = { 'x' },
    default = 'Lu',
    doc = 'Undo what lies in the selected lines.',
    run = selected('undo'),
  },
  {
    plug = 'keep-file',
    modes = { 'n' },
    default = 'LK',
    doc = 'Keep all changes of the file.',
    run = function()
      require('dsh.review').file('keep')
    end,
  },
  {
    plug = 'undo-file',
    modes = { 'n' },
    default = 'LU',
    doc = 'Undo all changes of the file.',
    run = function()
      require('dsh.review').file('undo')
    end,
  },
  {
    plug = 'keep-all',
    modes = { 'n' },
    doc = 'Keep everything that is pending, in all files.',
    run = function()
      require('dsh.review').all('keep')
    end,
  },
  {
    plug = 'undo-all',
    modes = { 'n' },
    doc = 'Undo everything that is pending, in all files.',
    run = function()
      require('dsh.review').all('undo')
    end,
  },
  {
    plug = 'diff',
    modes = { 'n' },
    default = 'Ld',
    doc = 'Open the text from before in a diff split, or close it.',
    run = function()
      require('dsh.diff').toggle()
    end,
  },
  {
    plug = 'quickfix',
    modes = { 'n' },
    default = 'Lq',
    doc = 'Put everything that is pending into the quickfix list.',
    run = function()
      require('dsh.review').quickfix()
    end,
  },
  {
    plug = 'panel',
    modes = { 'n' },
    default = 'Lp',
    doc = 'Open the panel, or close it.',
    run = function()
      require('dsh.panel').toggle()
    end,
  },
  {
    plug = 'answer',
    modes = { 'n' },
    default = 'La',
    doc = 'Answer the question that is asked.',
    run = function()
      require('dsh.ask').answer()
    end,
  },
  {
    plug = 'toggle',
    modes = { 'n' },
    default = 'Lt',
    doc = 'Paint nothing, or paint again.',
    run = function()
      require('dsh').toggle()
    end,
  },
  {
    plug = 'select',
    modes = { 'x', 'o' },
    doc = 'The lines of the change under the cursor, as a text object.',
    run = function()
      return require('dsh.review').select()
    end,
  },
}

--- @param map dsh.Map
--- @return string
local function plug(map)
  return ('<Plug>(dsh-%s)'):format(map.plug)
end

--- Create the `<Plug>` maps, which do nothing until something is mapped to them.
function M.create()
  for _, map in ipairs(M.maps) do
    -- Operators and what they work on come as an expression.
    local decides = vim.tbl_contains(map.modes, 'n') and (map.plug == 'keep' or map.plug == 'undo')
    local expr = decides or map.plug == 'select'
    vim.keymap.set(map.modes, plug(map), map.run, { expr = expr, silent = true, desc = 'dsh: ' .. map.doc })
  end
end

--- Map the defaults in a buffer, if they are wanted; never over a map of the buffer's own.
--- @param buf integer
function M.map_buffer(buf)
  local options = config.get()
  if not options.maps or vim.b[buf].dsh_maps then
    return
  end
  vim.b[buf].dsh_maps = true
  for _, map in ipairs(M.maps) do
    local keys = map.default and map.default:gsub('^L', vim.pesc(options.leader), 1)
    for _, mode in ipairs(keys and map.modes or {}) do
      local taken = api.nvim_buf_call(buf, function()
        local found = vim.fn.maparg(keys, mode, false, true)
        return found.buffer == 1 or vim.fn.hasmapto(plug(map), mode) == 1
      end)
      if not taken then
        vim.keymap.set(
          mode,
          keys --[[@as string]],
          plug(map),
          { buffer = buf, remap = true, desc = 'dsh: ' .. map.doc }
        )
      end
    end
  end
end

return M
