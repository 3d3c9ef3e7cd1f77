-- Evaluates 1,000 snippets, all with other code than those of other numbers.
local sum = 0
for i = 1, 1000 do
  local parts = { "local x = " .. i .. " " }
  local bits = (number * 1000 + i)
  while bits > 0 do
    if bits % 2 == 1 then parts[#parts + 1] = "x = x + 1 " else parts[#parts + 1] = "x = x * 2 " end
    bits = (bits - bits % 2) / 2
  end
  parts[#parts + 1] = "return function() return x end"
  sum = sum + loadstring(table.concat(parts))()()
end
result = sum
