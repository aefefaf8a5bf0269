--- The options: the one table that they, their checks and `:help dsh-options` come from.

local M = {}

--- @class dsh.Option
--- @field name string
--- @field type string|string[] as `vim.validate` has it
--- @field default any
--- @field values? string[] the only ones that are possible
--- @field doc string

--- @type dsh.Option[]
M.options = {
  {
    name = 'enabled',
    type = 'boolean',
    default = true,
    doc = 'Attach to files as they are opened. Without it, only `:Dsh start` does.',
  },
  {
    name = 'cmd',
    type = { 'table', 'function' },
    default = { 'dsh-lsp', '--stdio' },
    doc = 'The command of the server; or a function as |vim.lsp.ClientConfig| takes it.',
  },
  {
    name = 'root_markers',
    type = 'table',
    default = { '.git' },
    doc = 'The nearest folder above a file that has one of these is its workspace; else the current directory is.',
  },
  {
    name = 'attach',
    type = { 'function', 'nil' },
    default = nil,
    doc = 'Called with the number of a buffer that is a file; return false to leave it alone.',
  },
  {
    name = 'init_options',
    type = 'table',
    default = {},
    doc = 'The server\'s own options, such as `{ permissions = { bash = "allow" } }`; see its README.',
  },
  {
    name = 'debounce',
    type = 'number',
    default = 20,
    doc = 'Milliseconds in which your typing is gathered before the server is told of it.',
  },
  {
    name = 'paint',
    type = 'boolean',
    default = true,
    doc = 'Paint pending changes. `:Dsh toggle` switches it.',
  },
  {
    name = 'signs',
    type = 'boolean',
    default = true,
    doc = "Put signs beside painted lines. They may move the text by two columns; see 'signcolumn'.",
  },
  {
    name = 'words',
    type = 'boolean',
    default = true,
    doc = 'Emphasise the words that changed in modified lines.',
  },
  {
    name = 'removed',
    type = 'boolean',
    default = true,
    doc = 'Show removed lines as virtual lines above the place where they stood.',
  },
  {
    name = 'removed_most',
    type = 'number',
    default = 200,
    doc = 'How many removed lines of one change to show; what is left out is said.',
  },
  {
    name = 'author',
    type = 'boolean',
    default = true,
    doc = 'Say at the end of the first line of a change whose it is.',
  },
  {
    name = 'sign_text',
    type = 'table',
    default = { added = '┃', modified = '┃', deleted = '▁' },
    doc = 'The signs, at most two cells each.',
  },
  {
    name = 'priority',
    type = 'number',
    default = 20,
    doc = 'Of the marks, against those of other plug-ins. Words have one more.',
  },
  {
    name = 'maps',
    type = 'boolean',
    default = true,
    doc = 'The default maps, in attached buffers only; see |dsh-default-maps|. Without it, nothing is mapped.',
  },
  {
    name = 'leader',
    type = 'string',
    default = '<leader>a',
    doc = 'What the default maps begin with, apart from `]a` and `[a`.',
  },
  {
    name = 'panel_position',
    type = 'string',
    default = 'right',
    values = { 'right', 'left', 'above', 'below' },
    doc = 'Where the panel opens.',
  },
  {
    name = 'panel_size',
    type = 'number',
    default = 0.4,
    doc = 'Its width or height: a part of the screen below 1, else columns or lines.',
  },
  {
    name = 'panel_lines',
    type = 'number',
    default = 60,
    doc = 'How many lines of one card the panel shows at first; `<CR>` on the line that says so shows the rest.',
  },
  {
    name = 'panel_cards',
    type = 'number',
    default = 500,
    doc = 'How many cards are kept; the oldest are dropped.',
  },
  {
    name = 'ask',
    type = 'string',
    default = 'float',
    values = { 'float', 'select' },
    doc = 'How a call that needs your permission asks. `float` shows the question in a corner, takes no key, and waits '
      .. 'for `:Dsh answer`. `select` calls |vim.ui.select()| at once; only for one that does not block typing.',
  },
}

--- @class dsh.Config
--- @field enabled boolean
--- @field cmd string[]|function
--- @field root_markers string[]
--- @field attach? fun(buf: integer): boolean?
--- @field init_options table
--- @field debounce integer
--- @field paint boolean
--- @field signs boolean
--- @field words boolean
--- @field removed boolean
--- @field removed_most integer
--- @field author boolean
--- @field sign_text { added: string, modified: string, deleted: string }
--- @field priority integer
--- @field maps boolean
--- @field leader string
--- @field panel_position 'right'|'left'|'above'|'below'
--- @field panel_size number
--- @field panel_lines integer
--- @field panel_cards integer
--- @field ask 'float'|'select'

--- @type dsh.Config?
local current

--- What was set last, right or wrong.
--- @type table<string, any>
M.given = {}

--- The options in force: the defaults, over them `vim.g.dsh`, over that what `setup()` was given.
--- @return dsh.Config
function M.get()
  if not current then
    M.set({})
  end
  return current --[[@as dsh.Config]]
end

--- What is wrong with options, in words.
--- @param given table<string, any>
--- @return string[]
function M.problems(given)
  local problems = {} --- @type string[]
  local known = {} --- @type table<string, dsh.Option>
  for _, option in ipairs(M.options) do
    known[option.name] = option
  end
  for name, value in pairs(given) do
    local option = known[name]
    if not option then
      problems[#problems + 1] = ('dsh: there is no option %s'):format(tostring(name))
    elseif not vim.tbl_contains(vim.islist(option.type) and option.type or { option.type }, type(value)) then
      local types = type(option.type) == 'table' and table.concat(option.type --[[@as table]], ' or ') or option.type
      problems[#problems + 1] = ('dsh: the option %s must be a %s, and is a %s'):format(name, types, type(value))
    elseif option.values and not vim.tbl_contains(option.values, value) then
      local values = table.concat(option.values, ', ')
      problems[#problems + 1] = ('dsh: the option %s must be one of %s'):format(name, values)
    end
  end
  table.sort(problems)
  return problems
end

--- Set the options, over `vim.g.dsh`. Those that can't be used keep their defaults, and are told of.
--- @param own table<string, any>
function M.set(own)
  local given = vim.tbl_extend('force', type(vim.g.dsh) == 'table' and vim.g.dsh or {}, own)
  M.given = given
  local made = {} --- @type table<string, any>
  for _, option in ipairs(M.options) do
    made[option.name] = vim.deepcopy(option.default)
  end
  for name, value in pairs(given) do
    if #M.problems({ [name] = value }) == 0 then
      local merges = type(value) == 'table' and not vim.islist(value) and type(made[name]) == 'table'
      made[name] = merges and vim.tbl_deep_extend('force', made[name], value) or value
    end
  end
  current = made --[[@as dsh.Config]]
  for _, problem in ipairs(M.problems(given)) do
    require('dsh.say').warn(problem)
  end
end

return M
