-- Strings and tables: words, their counts, a sieve, and sorting.
local function words(n)
  local list = {}
  local seed = 42
  for i = 1, n do
    seed = (seed * 1103 + 12345) % 65536
    list[#list + 1] = "w" .. seed % 997
  end
  return list
end

local function count(list)
  local counts = {}
  for _, word in ipairs(list) do counts[word] = (counts[word] or 0) + 1 end
  return counts
end

local function sieve(n)
  local composite, primes = {}, 0
  for i = 1, n do composite[i] = false end
  for i = 2, n do
    if not composite[i] then
      primes = primes + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return primes
end

local names = {}
for word, n in pairs(count(words(60000))) do names[#names + 1] = word .. "=" .. n end
table.sort(names, function(a, b) return a < b end)
result = names[1] .. names[#names] .. sieve(250000)
