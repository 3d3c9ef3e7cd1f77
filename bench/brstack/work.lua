-- The work of speed.sh: recursion, tables, strings, closures and floating point. The argument scales it.
local scale = tonumber(arg[1]) or 1

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for k = i * i, n, i do composite[k] = true end
    end
  end
  return count
end

local function words(n)
  local seen, total = {}, 0
  for i = 1, n do
    local word = "w" .. (i * 7919 % 1000)
    seen[word] = (seen[word] or 0) + 1
    if word:find("99") then total = total + #word end
  end
  for _, count in pairs(seen) do total = total + count end
  return total
end

local Account = {}
Account.__index = Account
function Account.new() return setmetatable({ balance = 0 }, Account) end
function Account:deposit(x) if x < 0 then error("negative") end self.balance = self.balance + x end

local function objects(n)
  local all, sum = {}, 0
  for i = 1, 100 do all[i] = Account.new() end
  for i = 1, n do all[i % 100 + 1]:deposit(i % 7) end
  for _, account in ipairs(all) do sum = sum + account.balance end
  return sum
end

local function sorted(n)
  local list, seed = {}, 42
  for i = 1, n do
    seed = seed * 16807 % 2147483647
    list[i] = seed
  end
  table.sort(list, function(a, b) return a > b end)
  return list[1]
end

local function orbit(n)
  local x, y, u, v = 1.0, 0.0, 0.0, 1.0
  for _ = 1, n do
    local r = (x * x + y * y) ^ 1.5
    u, v = u - 0.001 * x / r, v - 0.001 * y / r
    x, y = x + 0.001 * u, y + 0.001 * v
  end
  return string.format("%.6f %.6f", x, y)
end

for round = 1, scale do
  local results = { fib(18), sieve(5000), words(1500), objects(5000), sorted(600), orbit(5000) }
  if round == scale then print(table.unpack(results)) end
end
