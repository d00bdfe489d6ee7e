-- minivm --dap driven by nvim-dap in a headless Neovim (make check-dap NVIM_DAP=FOLDER, a checkout of nvim-dap):
--
--     MINIVM=... NVIM_DAP=... PROGRAM=tests/adapter/programs/sums.py nvim --headless -u NONE -c 'luafile real_client.lua'
--
-- Prints each stop.
vim.opt.rtp:append(vim.env.NVIM_DAP)
local dap = require('dap')
dap.adapters.minivm = { type = 'executable', command = vim.env.MINIVM, args = { '--dap' } }
vim.cmd('edit ' .. vim.env.PROGRAM)

local function to_the_end()
  dap.clear_breakpoints()
  vim.defer_fn(dap.continue, 300)
end
local moves, seen, has_ended = { dap.step_over, dap.step_back, dap.step_out, dap.reverse_continue, to_the_end }, 0, false

dap.listeners.after.event_stopped['test'] = function(session, body)
  session:request('stackTrace', { threadId = 1 }, function(_, answer)
    local frame = answer.stackFrames[1]
    io.stdout:write(body.reason .. ' ' .. frame.name .. ':' .. frame.line .. '\n')
    seen = seen + 1
    moves[seen]()
  end)
end
dap.listeners.after.event_terminated['test'] = function()
  io.stdout:write('terminated\n')
  has_ended = true
end

vim.api.nvim_win_set_cursor(0, { 5, 0 })
dap.toggle_breakpoint()
dap.run({ type = 'minivm', request = 'launch', name = 'minivm', program = '${file}' })
vim.wait(60000, function() return has_ended end, 50)
vim.cmd('qa!')
