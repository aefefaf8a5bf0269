-- For luacheck, which Debian has as lua-check.
std = 'luajit'
cache = false
max_line_length = 120
read_globals = { 'vim' }
globals = { 'vim.b', 'vim.bo', 'vim.g', 'vim.go', 'vim.o', 'vim.v', 'vim.wo' }
ignore = { '212/_.*' }
