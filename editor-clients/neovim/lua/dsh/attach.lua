--- Attaching buffers to the server, and keeping what it knows of them the same as they are.
---
--- Neovim sends the changes. Where it is known to send the wrong ones (a text without a final line end, a line end in
--- the middle of a line, 'fileformat' or 'eol' set by hand), the whole text is sent in their place.

local api = vim.api
local config = require('dsh.config')
local disk = require('dsh.disk')
local paint = require('dsh.paint')
local rpc = require('dsh.rpc')
local text = require('dsh.text')

local M = {}

--- Clients that the user has stopped.
--- @type table<integer, true>
local stopping = {}

--- Buffers of which only whole texts are sent.
--- @type table<integer, true>
local whole = {}

--- Buffers whose changes are followed.
--- @type table<integer, true>
local followed = {}

--- Buffers that were unloaded, or are being read again by a command.
--- @type table<integer, true>
local was_followed = {}

--- Buffers that were read again, whose notes may still be about the text from before; with the client that was asked.
--- @type table<integer, integer>
local unsettled = {}

local group = api.nvim_create_augroup('dsh.buffers', { clear = true })

--- @param buf integer
--- @return boolean
local function is_file(buf)
  local name = api.nvim_buf_get_name(buf)
  return api.nvim_buf_is_loaded(buf)
    and vim.bo[buf].buftype == ''
    and name ~= ''
    and not name:find('^%a[%w+.-]+://')
    and vim.fn.isdirectory(name) == 0
end

--- @param buf integer
local function look_at_line_ends(buf)
  whole[buf] = (not vim.bo[buf].eol or text.has_lone_returns(buf)) and true or nil
end

--- @param client vim.lsp.Client
--- @param buf integer
local function send_whole(client, buf)
  rpc.notify(client, 'textDocument/didChange', {
    textDocument = { uri = vim.uri_from_bufnr(buf), version = vim.lsp.util.buf_versions[buf] },
    contentChanges = { { text = vim.lsp._buf_get_full_text(buf) } },
  })
end

--- Have whole texts sent in place of changes that would be wrong.
--- @param client vim.lsp.Client
local function correct_changes(client)
  local notify = client.rpc.notify
  client.rpc.notify = function(method, params)
    if method == 'textDocument/didChange' and next(whole) then
      local buf = rpc.buffer_of(client, params.textDocument.uri)
      if buf and whole[buf] then
        params.contentChanges = { { text = vim.lsp._buf_get_full_text(buf) } }
      end
    end
    return notify(method, params)
  end
end

--- After a reload a version comes again with another text: what the server has said before is about the old one. Its
--- answer to a question is about the new one.
--- @param buf integer
local function settle(buf)
  local client = rpc.client_of(buf)
  if not client then
    return
  end
  unsettled[buf] = client.id
  local version = vim.lsp.util.buf_versions[buf]
  rpc.request(client, 'dsh/review/list', { uri = vim.uri_from_bufnr(buf) }, function(result)
    unsettled[buf] = nil
    if api.nvim_buf_is_loaded(buf) and vim.lsp.util.buf_versions[buf] == version then
      paint.paint(buf, version, result.hunks, client.offset_encoding)
    end
  end, function()
    unsettled[buf] = nil
  end)
end

--- @param buf integer
local function follow(buf)
  if followed[buf] then
    return
  end
  followed[buf] = true
  look_at_line_ends(buf)
  api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, _, last)
      if not followed[buf] then
        return true
      end
      for _, line in ipairs(whole[buf] and {} or api.nvim_buf_get_lines(buf, first, last, false)) do
        if line:find('\r', 1, true) then
          whole[buf] = true
          break
        end
      end
    end,
    on_reload = function()
      look_at_line_ends(buf)
      paint.clear(buf)
      disk.agree(buf)
      vim.schedule(function()
        if followed[buf] and api.nvim_buf_is_loaded(buf) then
          settle(buf)
        end
      end)
    end,
    on_detach = function()
      followed[buf], whole[buf], unsettled[buf] = nil, nil, nil
      was_followed[buf] = true
      disk.forget(buf)
      paint.clear(buf)
    end,
  })
end

--- @param buf integer
--- @return string
local function root_of(buf)
  return vim.fs.root(buf, config.get().root_markers) or vim.fn.getcwd()
end

--- @return lsp.ClientCapabilities
local function capabilities()
  local made = vim.lsp.protocol.make_client_capabilities()
  made.experimental = {
    dsh = { decorations = true, cards = true, applyEdit = true, saveDocument = true, reloadDocument = true },
  }
  return made
end

--- @param client vim.lsp.Client
local function started(client)
  local said = vim.tbl_get(client, 'server_capabilities', 'experimental', 'dsh', 'protocolVersion')
  if said ~= 1 then
    require('dsh.say').warn(
      ('dsh: the server speaks protocol %s, this plug-in speaks 1; update the older one'):format(vim.inspect(said))
    )
    vim.schedule(function()
      M.stop()
    end)
    return
  end
  correct_changes(client)
  require('dsh.sessions').refresh(client)
  -- Files may be open that another server had, and a file that no server knows to be open is edited on the disk.
  vim.schedule(function()
    for _, buf in ipairs(api.nvim_list_bufs()) do
      if is_file(buf) and root_of(buf) == client.config.root_dir then
        M.attach(buf, true)
      end
    end
  end)
end

--- @param buf integer
--- @return vim.lsp.ClientConfig
local function client_config(buf)
  local options = config.get()
  local root = root_of(buf)
  return {
    name = rpc.NAME,
    cmd = options.cmd,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fs.basename(root) } },
    init_options = options.init_options,
    capabilities = capabilities(),
    handlers = require('dsh.handlers').handlers,
    flags = { debounce_text_changes = options.debounce },
    on_init = started,
    on_exit = function(code, signal, id)
      vim.schedule(function()
        local asked = stopping[id] or false
        stopping[id] = nil
        require('dsh.handlers').gone(id, code, signal, asked)
      end)
    end,
  }
end

--- Attach a buffer, if it is a file and not attached yet.
--- @param buf integer
--- @param asked? boolean the user asked for it
function M.attach(buf, asked)
  local options = config.get()
  if not (options.enabled or asked) or not is_file(buf) or rpc.client_of(buf) then
    return
  end
  if options.attach and options.attach(buf) == false then
    return
  end
  if type(options.cmd) == 'table' and vim.fn.executable(options.cmd[1]) == 0 then
    if asked then
      require('dsh.say').warn(('dsh: %s is not executable; see :checkhealth dsh'):format(options.cmd[1]))
    end
    return
  end
  -- Before Neovim's own, so that it sends what is right.
  follow(buf)
  disk.agree(buf)
  if vim.lsp.start(client_config(buf), { bufnr = buf }) then
    require('dsh.maps').map_buffer(buf)
    if was_followed[buf] then
      was_followed[buf] = nil
      settle(buf)
    end
  end
end

--- Attach all files that are open.
--- @param asked? boolean
function M.attach_all(asked)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    M.attach(buf, asked)
  end
end

--- Stop all servers. Buffers stay as they are.
function M.stop()
  for _, client in ipairs(vim.lsp.get_clients({ name = rpc.NAME })) do
    stopping[client.id] = true
    if vim.fn.has('nvim-0.11') == 1 then
      client:stop()
    else
      client.stop() --- @diagnostic disable-line
    end
  end
end

--- Whether what the server says of a buffer is about the text that it has.
--- @param buf integer
--- @param client vim.lsp.Client the one that says it
--- @return boolean
function M.is_settled(buf, client)
  return unsettled[buf] ~= client.id
end

api.nvim_create_autocmd('OptionSet', {
  group = group,
  pattern = { 'endofline', 'fileformat' },
  desc = 'dsh: tell the server of line ends',
  callback = function()
    local buf = api.nvim_get_current_buf()
    local client = followed[buf] and rpc.client_of(buf)
    if client then
      whole[buf] = true
      rpc.flush(client)
      send_whole(client, buf)
    end
  end,
})

api.nvim_create_autocmd('BufFilePre', {
  group = group,
  desc = 'dsh: close the document before it gets another name',
  callback = function(event)
    local client = rpc.client_of(event.buf)
    if client then
      paint.clear(event.buf)
      vim.lsp.buf_detach_client(event.buf, client.id)
      -- Another buffer may have that name already: it keeps its own then, and no event says so.
      vim.schedule(function()
        if api.nvim_buf_is_valid(event.buf) then
          M.attach(event.buf, true)
        end
      end)
    end
  end,
})

api.nvim_create_autocmd('BufWritePost', {
  group = group,
  desc = 'dsh: remember the file as it was written',
  callback = function(event)
    if followed[event.buf] then
      disk.agree(event.buf)
    end
  end,
})

api.nvim_create_autocmd('VimResized', {
  group = group,
  desc = 'dsh: paint removed lines as wide as the screen',
  callback = function()
    M.repaint()
  end,
})

api.nvim_create_autocmd({ 'WinResized', 'BufWinEnter' }, {
  group = group,
  desc = 'dsh: show what was removed above the first line',
  callback = function()
    for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
      paint.show_top(api.nvim_win_get_buf(win))
    end
  end,
})

--- Paint everything anew.
function M.repaint()
  paint.repaint(function(buf)
    local client = rpc.client_of(buf)
    return client and client.offset_encoding
  end)
end

return M
