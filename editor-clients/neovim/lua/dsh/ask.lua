--- Questions: whether a call may run. They wait in a corner, take no key, and are answered when the user wants to.

local api = vim.api
local config = require('dsh.config')

local M = {}

--- @class dsh.Question
--- @field client integer who asks
--- @field message string
--- @field actions { title: string }[]
--- @field answer fun(action: table?)
--- @field timer uv.uv_timer_t

--- @type dsh.Question[]
local waiting = {}

--- @type integer?
local window

--- When the last question went that nobody had answered, in milliseconds; see `GLANCE`.
local gone_at = -math.huge

--- A user who is typing an answer when its question goes must not answer the next one with it.
local GLANCE = 1000

--- @return number
local function now()
  return vim.uv.hrtime() / 1e6
end

--- How long the server waits, in milliseconds; its option `timing.ask`.
--- @return integer
local function patience()
  local seconds = vim.tbl_get(config.get().init_options, 'timing', 'ask') or 120
  return math.floor(seconds * 1000)
end

--- @param question dsh.Question
--- @return string[]
local function lines_of(question)
  local lines = {} --- @type string[]
  local most = math.max(4, math.floor(vim.o.lines / 3))
  for line in vim.gsplit(question.message, '\n', { plain = true }) do
    lines[#lines + 1] = ' ' .. vim.fn.strtrans(line) .. ' '
  end
  if #lines > most then
    local left = #lines - most
    lines = vim.list_slice(lines, 1, most)
    lines[#lines + 1] = (' … %d more lines: `:Dsh answer` shows them '):format(left)
  end
  local more = #waiting > 1 and (', and %d more'):format(#waiting - 1) or ''
  lines[#lines + 1] = (' `:Dsh answer` to answer%s '):format(more)
  return lines
end

local function close()
  if window and api.nvim_win_is_valid(window) then
    pcall(api.nvim_win_close, window, true)
  end
  window = nil
end

--- Show the first question in the upper right corner.
local function show()
  close()
  local question = waiting[1]
  vim.cmd.redrawstatus()
  if not question or config.get().ask ~= 'float' then
    return
  end
  local lines = lines_of(question)
  local width = 20
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  api.nvim_buf_set_extmark(buf, api.nvim_create_namespace('dsh.ask'), #lines - 1, 0, { line_hl_group = 'DshNote' })
  local ok, made = pcall(api.nvim_open_win, buf, false, {
    relative = 'editor',
    anchor = 'NE',
    row = 1,
    col = vim.o.columns,
    width = math.min(width, math.max(20, vim.o.columns - 4)),
    height = math.min(#lines, math.max(1, vim.o.lines - 6)),
    style = 'minimal',
    border = 'rounded',
    title = ' dsh asks ',
    focusable = false,
    noautocmd = true,
    zindex = 60,
  })
  window = ok and made or nil
end

--- @param question dsh.Question
--- @param action table? nil for none
local function settle(question, action)
  for index, each in ipairs(waiting) do
    if each == question then
      table.remove(waiting, index)
      question.timer:stop()
      question.timer:close()
      gone_at = action and gone_at or now()
      question.answer(action)
      show()
      return
    end
  end
end

--- Ask the user. Must be called in a coroutine, as Neovim calls handlers of requests.
--- @param params { message: string, actions: { title: string }[] }
--- @param client integer who asks
--- @return table|vim.NIL
function M.ask(params, client)
  local thread, is_main = coroutine.running()
  if not thread or is_main then
    return vim.NIL
  end
  local question --- @type dsh.Question
  question = {
    client = client,
    message = params.message,
    actions = params.actions or {},
    timer = assert(vim.uv.new_timer()),
    answer = function(action)
      vim.schedule(function()
        coroutine.resume(thread, action or vim.NIL)
      end)
    end,
  }
  -- The server stops waiting then, and takes it for a no.
  question.timer:start(patience(), 0, function()
    vim.schedule(function()
      settle(question, nil)
    end)
  end)
  waiting[#waiting + 1] = question
  vim.schedule(function()
    show()
    if config.get().ask == 'select' then
      M.answer()
    end
  end)
  return coroutine.yield()
end

--- Answer the first question.
--- @param title? string the answer; without it, the user is asked
function M.answer(title)
  local question = waiting[1]
  if not question then
    require('dsh.say').info('dsh: nothing is asked')
    return
  end
  if title then
    if title:lower() ~= 'deny' and now() - gone_at < GLANCE then
      require('dsh.say').warn('dsh: the question has just gone, and this is another one: look at it, then answer again')
      return
    end
    for _, action in ipairs(question.actions) do
      if action.title:lower() == title:lower() then
        settle(question, action)
        return
      end
    end
    require('dsh.say').warn(('dsh: that is no answer: %s'):format(title))
    return
  end
  vim.ui.select(question.actions, {
    prompt = question.message,
    kind = 'dsh.approval',
    format_item = function(action)
      return action.title
    end,
  }, function(action)
    -- Nothing chosen is no answer: it goes on waiting.
    if action then
      settle(question, action)
    end
  end)
end

--- How many questions wait.
--- @return integer
function M.count()
  return #waiting
end

--- The answers to the first question, for completion.
--- @return string[]
function M.answers()
  return vim.tbl_map(function(action)
    return action.title
  end, waiting[1] and waiting[1].actions or {})
end

--- Nobody waits for the answers to a client's questions any more.
--- @param client integer
function M.drop(client)
  for _, question in ipairs(vim.list_slice(waiting)) do
    if question.client == client then
      settle(question, nil)
    end
  end
end

return M
