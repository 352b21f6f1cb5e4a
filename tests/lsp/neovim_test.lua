-- Runs Neovim's own client against the command $HLOROOF, with the plugin in examples/editor/neovim.
local failures = {}
local function check(what, condition, seen)
  if condition then return end
  table.insert(failures, what .. (seen ~= nil and ": " .. vim.inspect(seen) or ""))
end

local function finish()
  for _, failure in ipairs(failures) do print("failed: " .. failure) end
  if #failures == 0 then print("neovim: all checks passed") end
  vim.cmd(#failures == 0 and "qall!" or "cquit!")
end

local function test()
  vim.opt.runtimepath:append("examples/editor/neovim")
  vim.g.hloroof = { device = "tpu_v5e", command = { vim.env.HLOROOF, "lsp" }, inlayHints = { minimumShare = 0.01 } }
  vim.cmd("filetype on | syntax on")
  vim.cmd("runtime plugin/hloroof.lua | runtime! ftdetect/hlo.vim")
  vim.cmd("edit examples/ffn_block.v5e_2x4.hlo")
  local buffer = vim.api.nvim_get_current_buf()
  check("file type", vim.bo[buffer].filetype == "hlo", vim.bo[buffer].filetype)
  check("syntax", vim.b.current_syntax == "hlo", vim.b.current_syntax)
  local function client()
    local _, one = next(vim.lsp.buf_get_clients(buffer))
    return one
  end
  check("start", vim.wait(10000, function() return client() ~= nil and client().initialized end, 10))
  local plugin = require("hloroof")
  local function ask(method, line, character, more)
    local params = vim.tbl_extend("force", {
      textDocument = vim.lsp.util.make_text_document_params(buffer),
      position = { line = line, character = character },
    }, more or {})
    local answer = client().request_sync(method, params, 10000, buffer)
    check(method, answer ~= nil and answer.err == nil, answer and answer.err)
    return answer and answer.result
  end
  local function find(pattern)
    for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      local column = line:find(pattern, 1)
      if column then return number - 1, column - 1, line end
    end
  end

  -- The entry's first all-gather or collective, by its name.
  local hints = ask("textDocument/inlayHint", 0, 0, {
    range = { start = { line = 0, character = 0 }, ["end"] = { line = 100000, character = 0 } } })
  check("hints", #hints > 0 and hints[1].label:find("%%") ~= nil, hints)
  local hover = ask("textDocument/hover", hints[1].position.line, hints[1].position.character - 1)
  check("hover", hover.contents.value:find("in the step") ~= nil, hover)
  check("hover in a window", pcall(vim.lsp.util.open_floating_preview,
    vim.lsp.util.convert_input_to_markdown_lines(hover.contents), "markdown", {}))

  -- From an operand to its definition, by Neovim's own command.
  local line, column = find("fusion%(%%")
  local operand = column + #"fusion("
  vim.api.nvim_win_set_cursor(0, { line + 1, operand + 1 })
  vim.lsp.buf.definition()
  check("definition", vim.wait(5000, function() return vim.api.nvim_win_get_cursor(0)[1] ~= line + 1 end, 10))

  -- From metadata to the line of the Python source.
  local source_line, source_column = find("metadata={op_name")
  local source = ask("textDocument/definition", source_line, source_column + 12)
  check("source", source and source.uri and source.uri:find("programs%.py") ~= nil, source)

  -- Lenses, and hints that are drawn.
  local lenses = ask("textDocument/codeLens", 0, 0)
  check("lenses", #lenses > 2 and lenses[1].command.title:find("tpu_v5e") ~= nil, lenses[1])
  plugin.refresh(buffer)
  local function marks() return vim.api.nvim_buf_get_extmarks(buffer, plugin.namespace, 0, -1, {}) end
  if not vim.lsp.inlay_hint then check("drawn hints", vim.wait(5000, function() return #marks() > 0 end, 10), #marks()) end

  local function drawn_lenses() return vim.api.nvim_buf_get_extmarks(buffer, plugin.lens_namespace, 0, -1, {}) end
  check("drawn lenses", vim.wait(5000, function() return #drawn_lenses() > 2 end, 10), #drawn_lenses())

  -- An error as it is typed, behind letters that take several bytes and units, and its repair.
  local function errors() return vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR }) end
  local last = vim.api.nvim_buf_line_count(buffer)
  local error_line = find("ROOT")
  local before = vim.api.nvim_buf_get_lines(buffer, error_line, error_line + 1, false)[1]
  vim.api.nvim_buf_set_lines(buffer, error_line, error_line, false, { "  %é😀.x = f32[] add(%nowhere, %nothing)" })
  vim.api.nvim_buf_set_lines(buffer, error_line, error_line + 1, false, { "  /*é😀*/ %x = f32[] add(%nowhere, %nothing)" })
  check("an error as it is typed", vim.wait(5000, function() return #errors() > 0 end, 10))
  if errors()[1] then
    check("its line", errors()[1].lnum == error_line, errors()[1].lnum)
    -- Bytes, which Neovim computes from UTF-16 units.
    check("its column", errors()[1].col == #"  /*é😀*/ %x = f32[] add(" , errors()[1].col)
  end
  vim.api.nvim_buf_set_lines(buffer, error_line, error_line + 1, false, {})
  check("the repair", vim.wait(5000, function() return #errors() == 0 end, 10), errors())
  check("the text is as before", vim.api.nvim_buf_get_lines(buffer, error_line, error_line + 1, false)[1] == before)
  check("the number of lines", vim.api.nvim_buf_line_count(buffer) == last)

  -- Another device, by the plugin's command.
  vim.cmd("HloroofDevice tpu_v6e 2x4")
  check("device", vim.wait(5000, function()
    local now = ask("textDocument/codeLens", 0, 0)
    return now and now[1].command.title:find("tpu_v6e 2x4") ~= nil
  end, 50))

  -- A rename, applied by Neovim.
  local name_line, name_column = find("%%[%w_.-]+ = [^=]*parameter%(0%)")
  vim.api.nvim_win_set_cursor(0, { name_line + 1, name_column + 1 })
  vim.lsp.buf.rename("renamed_parameter")
  check("rename", vim.wait(5000, function() return select(1, find("%%renamed_parameter = ")) ~= nil end, 10))
  vim.wait(300)
  check("no error after the rename", #errors() == 0, errors())

  client().stop()
  check("the server ends", vim.wait(5000, function() return next(vim.lsp.buf_get_clients(buffer)) == nil end, 10))
end

local ok, problem = pcall(test)
if not ok then table.insert(failures, tostring(problem)) end
finish()
