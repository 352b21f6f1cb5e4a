-- Starts `hloroof lsp` for HLO text, with Neovim 0.7 and later.
--
--   vim.g.hloroof = { device = "tpu_v5e", command = { "hloroof", "lsp" }, inlayHints = { minimumShare = 0.01 } }
--
-- :HloroofDevice tpu_v5e [2x4]  predicts on another device; without a name, asks for one.
-- :HloroofReport                writes the page of the report and opens it.
local M = { settings = {}, namespace = vim.api.nvim_create_namespace("hloroof_hints"),
  lens_namespace = vim.api.nvim_create_namespace("hloroof_lenses") }

local function client_of(buffer)
  for _, client in pairs(vim.lsp.buf_get_clients(buffer)) do
    if client.name == "hloroof" then return client end
  end
end

-- Neovim shows inlay hints itself since version 0.10.
local has_hints = vim.lsp.inlay_hint ~= nil

-- Draws the hints of the lines around the window behind their lines' first words.
function M.show_hints(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local client = client_of(buffer)
  if has_hints or client == nil or not vim.api.nvim_buf_is_loaded(buffer) then return end
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = { start = { line = 0, character = 0 }, ["end"] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 } },
  }
  client.request("textDocument/inlayHint", params, function(_, hints)
    if not vim.api.nvim_buf_is_loaded(buffer) then return end
    vim.api.nvim_buf_clear_namespace(buffer, M.namespace, 0, -1)
    local count = vim.api.nvim_buf_line_count(buffer)
    for _, hint in ipairs(hints or {}) do
      if hint.position.line < count then
        vim.api.nvim_buf_set_extmark(buffer, M.namespace, hint.position.line, 0, {
          virt_text = { { "  " .. hint.label, "Comment" } },  -- apart from text that goes on below it
          virt_text_pos = "right_align",
        })
      end
    end
  end, buffer)
end

-- Draws the lenses on lines of their own. Neovim draws them at the ends of lines, and those of HLO are far away.
local function show_lenses(buffer)
  client_of(buffer).request("textDocument/codeLens", { textDocument = vim.lsp.util.make_text_document_params(buffer) },
    function(_, lenses)
      if not vim.api.nvim_buf_is_loaded(buffer) then return end
      vim.api.nvim_buf_clear_namespace(buffer, M.lens_namespace, 0, -1)
      local titles = {}
      for _, lens in ipairs(lenses or {}) do
        local line = lens.range.start.line
        titles[line] = (titles[line] and titles[line] .. " | " or "") .. lens.command.title
      end
      local count = vim.api.nvim_buf_line_count(buffer)
      for line, title in pairs(titles) do
        if line < count then
          vim.api.nvim_buf_set_extmark(buffer, M.lens_namespace, line, 0, {
            virt_lines = { { { title, "Comment" } } },
            virt_lines_above = line > 0,  -- nothing is shown above the first line
          })
        end
      end
    end, buffer)
end

function M.refresh(buffer)
  if client_of(buffer) == nil then return end
  M.show_hints(buffer)
  show_lenses(buffer)
end

local function execute(command, arguments, handler)
  local client = client_of(vim.api.nvim_get_current_buf())
  if client == nil then return vim.notify("hloroof: no server for this buffer", vim.log.levels.WARN) end
  client.request("workspace/executeCommand", { command = command, arguments = arguments }, function(problem, result)
    if problem then return vim.notify("hloroof: " .. problem.message, vim.log.levels.ERROR) end
    if handler then handler(result) end
  end)
end

function M.device(name, topology)
  local buffer = vim.api.nvim_get_current_buf()
  if name then
    return execute("hloroof.setDevice", { name, topology or "" }, function() M.refresh(buffer) end)
  end
  execute("hloroof.devices", {}, function(names)
    vim.ui.select(names, { prompt = "Predict times on which device?" }, function(choice)
      if choice then M.device(choice) end
    end)
  end)
end

function M.report()
  execute("hloroof.report", { vim.uri_from_bufnr(0) }, function(page)
    local path = vim.uri_to_fname(page.uri)
    if vim.ui.open then vim.ui.open(path) elseif vim.fn.executable("xdg-open") == 1 then vim.fn.jobstart({ "xdg-open", path }) end
    vim.notify("hloroof: " .. path)
  end)
end

function M.start(buffer)
  local settings = M.settings
  local config = {
    name = "hloroof",
    cmd = settings.command or { "hloroof", "lsp" },
    root_dir = vim.fn.getcwd(),
    workspace_folders = { { uri = vim.uri_from_fname(vim.fn.getcwd()), name = "workspace" } },
    init_options = {
      device = settings.device, topology = settings.topology, inlayHints = settings.inlayHints,
      codeLens = settings.codeLens, lint = settings.lint,
    },
    flags = { debounce_text_changes = 50, allow_incremental_sync = true },
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
  else
    M.client_id = M.client_id and vim.lsp.get_client_by_id(M.client_id) and M.client_id or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(buffer, M.client_id)
  end
  if has_hints then vim.lsp.inlay_hint.enable(true, { bufnr = buffer }) end
end

function M.setup(settings)
  M.settings = settings
  local group = vim.api.nvim_create_augroup("hloroof", {})
  vim.api.nvim_create_autocmd("FileType", { group = group, pattern = "hlo", callback = function(event)
    M.start(event.buf or vim.api.nvim_get_current_buf())
  end })
  -- The server sends its findings again after each prediction.
  vim.api.nvim_create_autocmd("DiagnosticChanged", { group = group, callback = function(event)
    local buffer = event.buf or vim.api.nvim_get_current_buf()
    if vim.bo[buffer].filetype == "hlo" then M.refresh(buffer) end
  end })
  vim.api.nvim_create_user_command("HloroofDevice", function(command)
    M.device(command.fargs and command.fargs[1] or (command.args ~= "" and command.args or nil),
      command.fargs and command.fargs[2])
  end, { nargs = "*" })
  vim.api.nvim_create_user_command("HloroofReport", M.report, {})
end

return M
