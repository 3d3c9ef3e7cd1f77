-- Method calls: one call with four callees, one with a single callee, and inheritance.
local Shape = {}
Shape.__index = Shape
function Shape.scale(self, by) self.size = self.size * by end

local kinds = {}
local areas = {
  function(self) return self.size * self.size end,
  function(self) return 3.14159 * self.size * self.size end,
  function(self) return self.size * self.size / 2 end,
  function(self) return 6 * self.size * self.size end,
}
for i, area in ipairs(areas) do
  local kind = setmetatable({ area = area }, Shape)
  kind.__index = kind
  kinds[i] = kind
end

local function make(n)
  local shapes = {}
  for i = 1, n do
    shapes[i] = setmetatable({ size = i % 7 + 1 }, kinds[i % 4 + 1])
  end
  return shapes
end

local function total(shapes)
  local sum = 0
  for i = 1, #shapes do
    local shape = shapes[i]
    shape:scale(1.0001)
    sum = sum + shape:area()
  end
  return sum
end

local shapes = make(2000)
local sum = 0
for round = 1, 120 do sum = sum + total(shapes) end
result = string.format("%.6f", sum)
