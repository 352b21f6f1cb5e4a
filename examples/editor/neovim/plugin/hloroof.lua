require("hloroof").setup(vim.g.hloroof or {})
