-- Nested loops with arithmetic and branches.
local function collatz(limit)
  local longest, at = 0, 0
  for start = 1, limit do
    local n, steps = start, 0
    while n ~= 1 do
      if n % 2 == 0 then n = n / 2 else n = 3 * n + 1 end
      steps = steps + 1
    end
    if steps > longest then longest = steps; at = start end
  end
  return longest * 1000000 + at
end

local function sums(n)
  local total = 0
  for i = 1, n do
    for j = 1, 100 do
      total = total + i * j - (i - j) / 2
    end
  end
  return total
end

result = collatz(10000) + sums(10000)
