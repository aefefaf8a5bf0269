--- Talking to the server, the same way in all versions of Neovim.

local M = {}

local has_methods = vim.fn.has('nvim-0.11') == 1

M.NAME = 'dsh'

--- The client of a buffer, if it is attached and the server is there.
--- @param buf integer
--- @return vim.lsp.Client?
function M.client_of(buf)
  return vim.lsp.get_clients({ name = M.NAME, bufnr = buf })[1]
end

--- A client: that of the buffer, else any.
--- @param buf integer
--- @return vim.lsp.Client?
function M.client_near(buf)
  return M.client_of(buf) or vim.lsp.get_clients({ name = M.NAME })[1]
end

--- @param client vim.lsp.Client
--- @param method string
--- @param params table
function M.notify(client, method, params)
  if has_methods then
    client:notify(method, params)
  else
    client.notify(method, params) --- @diagnostic disable-line
  end
end

--- Ask; changes that were held back are sent first. What goes wrong is said, and `done` is not called then.
--- @param client vim.lsp.Client
--- @param method string
--- @param params table
--- @param done fun(result: any)
--- @param failed? fun(message: string) instead of saying it
function M.request(client, method, params, done, failed)
  M.flush(client)
  local function answered(err, result)
    if err and failed then
      failed(tostring(err.message))
    elseif err then
      require('dsh.say').warn(('dsh: %s: %s'):format(method, tostring(err.message)))
    else
      done(result)
    end
  end
  local sent --- @type boolean
  if has_methods then
    sent = client:request(method, params, answered)
  else
    sent = client.request(method, params, answered) --- @diagnostic disable-line
  end
  if not sent then
    answered({ message = 'the server is not there' })
  end
end

--- Ask all servers: there is one for each workspace. What goes wrong is said.
--- @param method string
--- @param params table
--- @param member string of each answer, a list
--- @param done fun(gathered: table[]) once all have answered
--- @return boolean asked whether there is a server
function M.request_all(method, params, member, done)
  local clients = vim.lsp.get_clients({ name = M.NAME })
  local gathered, left = {}, #clients
  local function answered(list)
    vim.list_extend(gathered, list)
    left = left - 1
    if left == 0 then
      done(gathered)
    end
  end
  for _, client in ipairs(clients) do
    M.request(client, method, params, function(result)
      answered(result[member])
    end, function(message)
      require('dsh.say').warn(('dsh: %s: %s'):format(method, message))
      answered({})
    end)
  end
  return #clients > 0
end

--- Send the changes that are held back.
--- @param client vim.lsp.Client
function M.flush(client)
  local ok, tracking = pcall(require, 'vim.lsp._changetracking')
  if ok then
    tracking.flush(client)
  else
    -- Any notification does it; this one says what is so anyway.
    M.notify(client, '$/setTrace', { value = 'off' })
  end
end

--- The attached buffer of a document, if there is one; a URI may spell the same name in several ways.
--- @param client vim.lsp.Client
--- @param uri string
--- @return integer?
function M.buffer_of(client, uri)
  local ok, name = pcall(vim.uri_to_fname, uri)
  for buf in pairs(ok and client.attached_buffers or {}) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) == name then
      return buf
    end
  end
end

return M
