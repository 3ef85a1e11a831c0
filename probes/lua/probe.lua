-- Reads Lua's clocks: lua probe.lua SAMPLES PAIRS. The protocol is in ../README.md.

local samples, pairs_ = tonumber(arg[1]), tonumber(arg[2])
local clock, time = os.clock, os.time

-- The batch of each clock is written out. Lua has no clock of elapsed time finer than a second: os.clock is the CPU
-- time of the process, which is as good for a program that does nothing but read.
local clocks = {
  { label = "os.clock", form = "%.9f", read = clock, batch = function(n) for _ = 1, n do clock() end end },
  { label = "os.time", form = "%d", read = time, batch = function(n) for _ = 1, n do time() end end },
}

local function timed(batch, n)
  local start = clock()
  batch(n)
  return math.floor((clock() - start) * 1e9 + 0.5)
end

print("# clockscope-probe/1")
print("# runtime " .. (jit and jit.version or _VERSION))
print("# timer os.clock")
for _, it in ipairs(clocks) do print("# clock " .. it.label .. " 1") end

for _, it in ipairs(clocks) do
  local n = 20
  -- The least of three, since one may be interrupted; long enough that the timer's microseconds don't matter.
  while pairs_ > 0 and math.min(timed(it.batch, n), timed(it.batch, n), timed(it.batch, n)) < 200000 do n = n * 2 end
  for _ = 1, pairs_ do
    print(string.format("# pair %s %d %d %d", it.label, n, timed(it.batch, n), timed(it.batch, 2 * n)))
  end
end

local values = {}
for _, it in ipairs(clocks) do
  for i = 1, samples do values[i] = -1 end
  local read = it.read
  for i = 1, samples do values[i] = read() end
  for i = 1, samples do print(string.format("%s " .. it.form, it.label, values[i])) end
end
print("# end")
