--- The colours: made from those of the colour scheme in use, again whenever that changes. A group that you or a colour
--- scheme have set is left alone.

local api = vim.api

local M = {}

--- What this module has set last, as Neovim gives it back.
--- @type table<string, table>
local mine = {}

--- @param group string
--- @param key 'fg'|'bg'
--- @return integer?
local function colour(group, key)
  return api.nvim_get_hl(0, { name = group, link = false })[key]
end

--- So much of one colour over another.
--- @param over integer
--- @param under integer
--- @param share number
--- @return integer
local function blend(over, under, share)
  local made = 0
  for shift = 16, 0, -8 do
    local one, other = bit.band(bit.rshift(over, shift), 255), bit.band(bit.rshift(under, shift), 255)
    made = made * 256 + math.floor(one * share + other * (1 - share) + 0.5)
  end
  return made
end

--- @return table<string, vim.api.keyset.highlight>
local function wanted()
  local light = vim.o.background == 'light'
  local ground = colour('Normal', 'bg') or (light and 0xffffff or 0x14161b)
  local text = colour('Normal', 'fg') or (light and 0x14161b or 0xe0e2ea)
  local green = colour('Added', 'fg') or (light and 0x2e7d32 or 0x8fd694)
  local blue = colour('Changed', 'fg') or (light and 0x1565c0 or 0x82c4e8)
  local red = colour('Removed', 'fg') or (light and 0xc62828 or 0xf0a0a0)
  local share = light and 0.14 or 0.18
  local faint = blend(text, ground, 0.55)
  return {
    DshAdded = { bg = blend(green, ground, share), ctermbg = light and 194 or 22 },
    DshModified = { bg = blend(blue, ground, share), ctermbg = light and 189 or 17 },
    DshWord = { bg = blend(blue, ground, share * 2.4), bold = true, ctermbg = light and 153 or 24 },
    DshRemoved = { bg = blend(red, ground, share), fg = blend(red, text, 0.6), ctermbg = light and 224 or 52 },
    DshSignAdded = { fg = green, ctermfg = light and 28 or 114 },
    DshSignModified = { fg = blue, ctermfg = light and 26 or 75 },
    DshSignDeleted = { fg = red, ctermfg = light and 160 or 203 },
    DshAuthor = { fg = faint, italic = true, ctermfg = 244 },
    DshNote = { fg = faint, ctermfg = 244 },
    DshTitle = { fg = text, bold = true },
    DshRunning = { fg = blue, ctermfg = light and 26 or 75 },
    DshDone = { fg = green, ctermfg = light and 28 or 114 },
    DshFailed = { fg = red, bold = true, ctermfg = light and 160 or 203 },
    DshCut = { fg = faint, italic = true, ctermfg = 244 },
  }
end

--- Set all groups that nobody else has set.
function M.set()
  for name, definition in pairs(wanted()) do
    local now = api.nvim_get_hl(0, { name = name })
    if vim.tbl_isempty(now) or vim.deep_equal(now, mine[name]) then
      api.nvim_set_hl(0, name, definition)
      mine[name] = api.nvim_get_hl(0, { name = name })
    end
  end
end

--- Set them now and whenever the colours change.
function M.create()
  M.set()
  api.nvim_create_autocmd('ColorScheme', {
    group = api.nvim_create_augroup('dsh.highlights', { clear = true }),
    desc = 'dsh: make colours that fit',
    callback = M.set,
  })
end

return M
