-- Counts its own calls, iterations and branches in result, so that the profile can be compared with them.
local calls, yes, no, turns = 0, 0, 0, 0

local function fib(n)
  calls = calls + 1
  if n < 2 then
    yes = yes + 1
    return n
  end
  no = no + 1
  return fib(n - 1) + fib(n - 2)
end

local function loop(n)
  for i = 1, n do turns = turns + 1 end
  local i = n
  while i > 0 do
    turns = turns + 1
    i = i - 1
  end
end

local one = fib(20)
loop(1000)
result = calls .. " " .. yes .. " " .. no .. " " .. turns
