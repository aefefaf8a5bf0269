"""A tool for dsh-lsp that queries SQLite databases, and a policy that hides phone numbers in what it returns."""
