"""One module per method: check, call the hub, convert last. `dsh_lsp.server` has the table."""
