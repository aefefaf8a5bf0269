--- Writes `doc/dsh.txt` from the tables of options, commands and maps. Run it with Neovim, in any directory:
---
---     nvim --clean -l editor-clients/neovim/scripts/help.lua          writes the file
---     nvim --clean -l editor-clients/neovim/scripts/help.lua --check  fails if the file is not what it would write

local script = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p')
local here = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(script)))
vim.opt.rtp:prepend(here)

local WIDTH = 78

--- @type string[]
local out = {}

local function add(line)
  out[#out + 1] = (line or ''):gsub('%s+$', '')
end

--- A text, wrapped and indented.
local function wrap(text, indent)
  local line = (' '):rep(indent)
  local is_empty = true
  for word in text:gmatch('%S+') do
    if not is_empty and #line + 1 + #word > WIDTH then
      add(line)
      line, is_empty = (' '):rep(indent), true
    end
    line = is_empty and line .. word or line .. ' ' .. word
    is_empty = false
  end
  add(line)
end

--- A line with tags at its right edge.
local function tagged(left, ...)
  local tags = {}
  for _, tag in ipairs({ ... }) do
    tags[#tags + 1] = ('*%s*'):format(tag)
  end
  local right = table.concat(tags, ' ')
  if #left + 1 + #right > WIDTH then
    add((' '):rep(math.max(0, WIDTH - #right)) .. right)
    add(left)
  else
    add(left .. (' '):rep(WIDTH - #left - #right) .. right)
  end
end

local function section(title, tag)
  add()
  add(('='):rep(WIDTH))
  tagged(title, tag)
  add()
end

--- A value as Lua, on one line.
local function literal(value)
  if type(value) ~= 'table' then
    return type(value) == 'string' and ("'%s'"):format(value) or tostring(value)
  end
  local parts = {}
  if vim.islist(value) then
    for _, item in ipairs(value) do
      parts[#parts + 1] = literal(item)
    end
  else
    local names = vim.tbl_keys(value)
    table.sort(names)
    for _, name in ipairs(names) do
      parts[#parts + 1] = ('%s = %s'):format(name, literal(value[name]))
    end
  end
  return #parts > 0 and ('{ %s }'):format(table.concat(parts, ', ')) or '{}'
end

--- Paragraphs of a text, each wrapped; lines that begin with spaces are an example.
local function prose(text)
  for paragraph in vim.gsplit(vim.trim(text), '\n\n') do
    if paragraph:find('^    ') then
      out[#out] = '>lua'
      for line in vim.gsplit(paragraph, '\n') do
        add(line)
      end
      add('<')
    else
      wrap(paragraph, 0)
      add()
    end
  end
end

local function options()
  section('OPTIONS', 'dsh-options')
  prose([[
Set them with `vim.g.dsh` before the plug-in is loaded, or with `require('dsh').setup()` at any time. Neither is
needed.

    vim.g.dsh = { leader = '<leader>g', panel_position = 'below' }

]])
  for _, option in ipairs(require('dsh.config').options) do
    local types = type(option.type) == 'table' and table.concat(option.type, ' or ') or option.type
    tagged(('`%s` (%s)'):format(option.name, types), 'dsh-option-' .. option.name)
    wrap(option.doc, 4)
    if option.values then
      wrap(('One of %s.'):format(table.concat(vim.tbl_map(literal, option.values), ', ')), 4)
    end
    if option.default ~= nil then
      wrap(('Default: `%s`'):format(literal(option.default)), 4)
    end
    add()
  end
end

local function commands()
  section('COMMANDS', 'dsh-commands')
  for _, command in ipairs(require('dsh.commands').commands) do
    local range = command.range and '[range]' or ''
    local args = command.args and ' ' .. command.args or ''
    tagged((':%sDsh %s%s'):format(range, command.name, args), ':Dsh-' .. command.name)
    wrap(command.doc, 4)
    add()
  end
end

local function maps()
  section('MAPS', 'dsh-maps')
  tagged('', 'dsh-default-maps')
  prose([[
Each can be mapped to by its `<Plug>` name. The default keys are mapped in attached buffers only, unless the option
|dsh-option-maps| is false; never over a map of the buffer's own, and not if something is mapped to that name
already. `L` stands for the option |dsh-option-leader|.

    vim.keymap.set('n', '<F7>', '<Plug>(dsh-next)')

]])
  local names = { n = 'Normal', x = 'Visual', o = 'Operator-pending' }
  local seen = {}
  for _, map in ipairs(require('dsh.maps').maps) do
    local modes = table.concat(
      vim.tbl_map(function(mode)
        return names[mode]
      end, map.modes),
      ', '
    )
    local tag = ('<Plug>(dsh-%s)'):format(map.plug)
    tagged(('%s  %s'):format(tag, map.default or 'not mapped'), unpack(seen[tag] and {} or { tag }))
    seen[tag] = true
    wrap(('%s: %s'):format(modes, map.doc), 4)
    add()
  end
end

local function highlights()
  section('HIGHLIGHTS', 'dsh-highlights')
  prose([[
The groups are made from the colours of the colour scheme, and made again when that changes. One that you or a
colour scheme set is left alone.
]])
  local groups = {
    { 'DshAdded', 'lines that an agent has added' },
    { 'DshModified', 'lines that an agent has changed' },
    { 'DshWord', 'what changed in them' },
    { 'DshRemoved', 'lines that are not there any more' },
    { 'DshSignAdded', 'the sign of added lines' },
    { 'DshSignModified', 'the sign of changed lines' },
    { 'DshSignDeleted', 'the sign of a place where lines were' },
    { 'DshAuthor', 'whose change it is' },
    { 'DshNote', 'what is said beside' },
    { 'DshTitle', 'the title of a card' },
    { 'DshRunning', 'a call that runs' },
    { 'DshDone', 'a call that is done' },
    { 'DshFailed', 'a call that failed' },
    { 'DshCut', 'what says that something is not shown' },
  }
  for _, group in ipairs(groups) do
    tagged(('%-18s %s'):format(group[1], group[2]), 'hl-' .. group[1])
  end
end

add('*dsh.txt*  What AI agents change in your buffers, painted, kept or undone')
add()
section('CONTENTS', 'dsh')
for _, each in ipairs({
  { 'What it does', 'dsh-introduction' },
  { 'Commands', 'dsh-commands' },
  { 'Maps', 'dsh-maps' },
  { 'The panel', 'dsh-panel' },
  { 'Questions', 'dsh-questions' },
  { 'The statusline', 'dsh-statusline' },
  { 'Options', 'dsh-options' },
  { 'Highlights', 'dsh-highlights' },
  { 'Limits', 'dsh-limits' },
}) do
  add(('    %-20s |%s|'):format(each[1], each[2]))
end
section('WHAT IT DOES', 'dsh-introduction')
prose([[
Every file that you open is attached to `dsh-lsp`, a language server that agents connect to. Their edits go into
your buffers, beside your unsaved typing, and only if they have seen the text as it is. Each change stays painted
until you keep or undo it: |:Dsh-keep|, |:Dsh-undo|. Nothing takes the focus, moves the cursor or asks for a key.

A file that was saved before an edit is saved after it; one with unsaved typing is not. `:checkhealth dsh` says
whether all is well. Servers are started by file, one for each workspace: see |dsh-option-root_markers|.

The event `User DshPainted` comes after a buffer was painted; its `data.buf` is the buffer.
]])
commands()
maps()
section('THE PANEL', 'dsh-panel')
prose([[
|:Dsh-panel| shows what agents do, as they do it: a card for each call, with its result in its place once there is
one. It follows the newest card as long as its cursor is at the end. In it, `<CR>` goes to the place that a line is
about (a hit of a search, a line of a diff or of a file) in the window of your files, or shows the rest of a card
that says that it has more; `q` closes it. A recorded session is shown the same way: |:Dsh-sessions|.
]])
section('QUESTIONS', 'dsh-questions')
prose([[
A call that needs your permission (`bash`, by default) asks. The question stands in a corner and takes no key.
Answer it with |:Dsh-answer| or its map when you want to; without an answer in two minutes the call is denied. What
is always allowed or denied is an option of the server:

    vim.g.dsh = { init_options = { permissions = { bash = 'deny' } } }

]])
section('THE STATUSLINE', 'dsh-statusline')
prose([[
`require('dsh').statusline()` gives a text such as `dsh 1 agent ±3`: agents at work, pending changes of the buffer;
with a `*` while what is painted is about an older text; and the number of questions. `require('dsh').status(buf)`
gives the same as a table: `attached`, `sessions`, `pending`, `stale`, `questions`.

    vim.o.statusline = "%<%f %m%=%{v:lua.require'dsh'.statusline()} %l:%c"

]])
options()
highlights()
section('LIMITS', 'dsh-limits')
prose([[
Undoing an edit that added or took away the final line end of the file (|u|) does not set 'endofline' back;
|:Dsh-undo| does.

Where more than 200 places change at once, marks of other plug-ins between them may move to the edges of what was
replaced.

While Neovim waits for a key (after |r| or |f|, at a |hit-enter| prompt) it answers nobody: an edit waits, or the
agent is told that nothing is known of it.
]])
add()
add('vim:tw=78:ft=help:norl:')

local path = vim.fs.joinpath(here, 'doc', 'dsh.txt')
local made = table.concat(out, '\n') .. '\n'
if vim.tbl_contains(_G.arg or {}, '--check') then
  local file = io.open(path, 'rb')
  local is = file and file:read('*a') or ''
  if is ~= made then
    io.stderr:write('doc/dsh.txt is not what scripts/help.lua makes of the tables: run it\n')
    os.exit(1)
  end
else
  local file = assert(io.open(path, 'wb'))
  file:write(made)
  file:close()
end
