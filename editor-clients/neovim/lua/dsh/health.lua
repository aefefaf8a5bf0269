--- `:checkhealth dsh`.

local config = require('dsh.config')
local rpc = require('dsh.rpc')

local M = {}

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok(('Neovim %s'):format(version))
  else
    vim.health.error(('Neovim %s is too old'):format(version), { 'Use Neovim 0.10 or newer.' })
  end
  if not vim.o.autoread then
    vim.health.warn(
      "'autoread' is off",
      { 'Files that agents change on the disk are read again only when you say so.' }
    )
  end
end

local function check_options()
  config.get()
  local problems = config.problems(config.given)
  for _, problem in ipairs(problems) do
    vim.health.error(problem, { 'See :help dsh-options.' })
  end
  if #problems == 0 then
    vim.health.ok('the options make sense')
  end
end

local function check_command()
  local cmd = config.get().cmd
  if type(cmd) ~= 'table' then
    vim.health.info('the server is started by a function')
    return
  end
  if vim.fn.executable(cmd[1]) == 0 then
    vim.health.error(('%s is not executable'):format(cmd[1]), {
      'Install it: pipx install dsh-lsp, or pipx install . in a clone.',
      'Or name it in full: vim.g.dsh = { cmd = { "/path/to/dsh-lsp", "--stdio" } }.',
    })
    return
  end
  vim.health.ok(('%s is executable'):format(cmd[1]))
end

local function check_servers()
  local clients = vim.lsp.get_clients({ name = rpc.NAME })
  if #clients == 0 then
    vim.health.info('no server is running: it starts with the first file that is opened, or with :Dsh start')
  end
  for _, client in ipairs(clients) do
    local protocol = vim.tbl_get(client, 'server_capabilities', 'experimental', 'dsh', 'protocolVersion')
    local files = vim.tbl_count(client.attached_buffers)
    local line = ('a server has %s: protocol %s, positions in %s, %d files'):format(
      client.config.root_dir or 'no folder',
      vim.inspect(protocol),
      client.offset_encoding,
      files
    )
    if protocol == 1 then
      vim.health.ok(line)
    else
      vim.health.error(line, { 'This plug-in speaks protocol 1: update the older one.' })
    end
  end
end

local function check_maps()
  local other = {} --- @type string[]
  for _, map in ipairs(config.get().maps and require('dsh.maps').maps or {}) do
    local keys = map.default and map.default:gsub('^L', vim.pesc(config.get().leader), 1)
    for _, mode in ipairs(keys and map.modes or {}) do
      local found = vim.fn.maparg(keys, mode, false, true)
      if found.rhs and found.buffer == 0 then
        other[#other + 1] = ('%s %s'):format(mode, keys)
      end
    end
  end
  if #other > 0 then
    vim.health.info('in attached buffers these maps of yours are covered: ' .. table.concat(other, ', '))
  else
    vim.health.ok('no map of yours is covered')
  end
end

--- Run all checks.
function M.check()
  vim.health.start('dsh')
  check_neovim()
  check_options()
  check_command()
  check_servers()
  check_maps()
end

return M
