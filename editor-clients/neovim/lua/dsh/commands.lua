--- `:Dsh` and its subcommands, with completion.

local M = {}

--- @class dsh.Command
--- @field name string
--- @field args? string how its arguments are written in the help
--- @field range? boolean
--- @field doc string
--- @field complete? fun(): string[]
--- @field run fun(args: string[], command: vim.api.keyset.create_user_command.command_args)

--- @param how 'keep'|'undo'
--- @return fun(args: string[], command: table)
local function decides(how)
  return function(args, command)
    local review = require('dsh.review')
    if args[1] == 'file' then
      review.file(how)
    elseif args[1] == 'all' then
      review.all(how)
    elseif args[1] then
      require('dsh.say').warn(('dsh: :Dsh %s takes file, all, or nothing'):format(how))
    elseif command.range > 0 then
      review.lines(how, command.line1 - 1, command.line2 - 1)
    else
      review.here(how)
    end
  end
end

local function what()
  return { 'file', 'all' }
end

--- @type dsh.Command[]
M.commands = {
  {
    name = 'next',
    doc = 'Go to the next pending change of the buffer.',
    run = function(_, command)
      require('dsh.review').go(command.count > 0 and command.count or 1)
    end,
  },
  {
    name = 'previous',
    doc = 'Go to the previous one.',
    run = function(_, command)
      require('dsh.review').go(-(command.count > 0 and command.count or 1))
    end,
  },
  {
    name = 'keep',
    args = '[file|all]',
    range = true,
    complete = what,
    doc = 'Keep the change under the cursor; with a range, what lies in these lines, also a part of a change; all of '
      .. 'the file; or everything. Keeping writes nothing: it is not pending any more.',
    run = decides('keep'),
  },
  {
    name = 'undo',
    args = '[file|all]',
    range = true,
    complete = what,
    doc = 'Undo the same: the lines from before come back. It is one step of the undo history, and your typing stays.',
    run = decides('undo'),
  },
  {
    name = 'diff',
    doc = 'Open the text from before the pending changes in a split, in diff mode; or close it.',
    run = function()
      require('dsh.diff').toggle()
    end,
  },
  {
    name = 'quickfix',
    doc = 'Put all pending changes, also those in files that are not open, into the quickfix list.',
    run = function()
      require('dsh.review').quickfix()
    end,
  },
  {
    name = 'panel',
    doc = 'Open the panel that shows what agents do, or close it.',
    run = function()
      require('dsh.panel').toggle()
    end,
  },
  {
    name = 'sessions',
    doc = 'Choose a recorded session of this workspace, and show it in the panel.',
    run = function()
      require('dsh.replay').choose()
    end,
  },
  {
    name = 'replay',
    args = '{session}',
    complete = function()
      return require('dsh.sessions').ids()
    end,
    doc = 'Show a recorded session in the panel, as it was. Nothing is run or edited.',
    run = function(args)
      require('dsh.replay').show(args[1])
    end,
  },
  {
    name = 'summary',
    args = '[session]',
    complete = function()
      return require('dsh.sessions').ids()
    end,
    doc = 'Say what the calls of a session did, and what became of it: of the one that was seen last without a name.',
    run = function(args)
      require('dsh.replay').summary(args[1])
    end,
  },
  {
    name = 'answer',
    args = '[answer]',
    complete = function()
      return require('dsh.ask').answers()
    end,
    doc = 'Answer the question that is asked; without an answer, choose one with |vim.ui.select()|.',
    run = function(args)
      require('dsh.ask').answer(args[1])
    end,
  },
  {
    name = 'toggle',
    doc = 'Paint nothing, in no buffer; or paint again.',
    run = function()
      require('dsh').toggle()
    end,
  },
  {
    name = 'messages',
    doc = "Show the plug-in's messages in full.",
    run = function()
      for _, message in ipairs(require('dsh.say').said) do
        vim.api.nvim_echo({ { message } }, false, {})
      end
    end,
  },
  {
    name = 'start',
    doc = 'Attach all open files.',
    run = function()
      require('dsh.attach').attach_all(true)
    end,
  },
  {
    name = 'stop',
    doc = 'Stop the server. Buffers stay as they are.',
    run = function()
      require('dsh.attach').stop()
    end,
  },
}

--- @param name string
--- @return dsh.Command?
local function find(name)
  for _, command in ipairs(M.commands) do
    if command.name == name then
      return command
    end
  end
end

--- @return string[]
local function names()
  return vim.tbl_map(function(command)
    return command.name
  end, M.commands)
end

--- @param lead string
--- @param line string
--- @return string[]
function M.complete(lead, line)
  local before = line:sub(1, #line - #lead):gsub('^.-Dsh!?%s*', '')
  local words = vim.split(vim.trim(before), '%s+', { trimempty = true })
  local command = words[1] and find(words[1])
  local choices = #words == 0 and names() or {}
  if #words == 1 and command and command.complete then
    choices = command.complete()
  end
  return vim.tbl_filter(function(choice)
    return vim.startswith(choice, lead)
  end, choices)
end

--- Create `:Dsh`.
function M.create()
  vim.api.nvim_create_user_command('Dsh', function(command)
    local name = command.fargs[1]
    local found = find(name)
    if not found then
      require('dsh.say').warn(('dsh: there is no :Dsh %s; there are %s'):format(name, table.concat(names(), ', ')))
    elseif command.range > 0 and not found.range then
      require('dsh.say').warn(('dsh: :Dsh %s takes no range'):format(name))
    else
      found.run(vim.list_slice(command.fargs, 2), command)
    end
  end, {
    nargs = '+',
    range = true,
    complete = M.complete,
    desc = 'dsh: review what agents change',
  })
end

return M
