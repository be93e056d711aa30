-- Hold ctrl + option + P for two seconds to lock everything (macOS, Hammerspoon).
-- Put into ~/.hammerspoon/init.lua; set the path that `which interlock` prints.
local interlock = os.getenv("HOME") .. "/.local/bin/interlock"
local holdSeconds = 2
local held = nil

local function lock()
  held = nil
  hs.task
    .new(interlock, function(code)
      local text = code == 0 and "Interlock: locked" or "Interlock: NOT locked (" .. code .. ")"
      hs.alert.show(text, 4)
    end, { "lockout", "--reason", "hotkey" })
    :start()
end

hs.hotkey.bind({ "ctrl", "alt" }, "P", function()
  hs.alert.show("Hold to lock …", holdSeconds)
  held = hs.timer.doAfter(holdSeconds, lock)
end, function()
  if held then
    held:stop()
    held = nil
  end
end)
