"""``python -m dsh_lsp``."""

from dsh_lsp.cli import main

if __name__ == "__main__":
    main()
