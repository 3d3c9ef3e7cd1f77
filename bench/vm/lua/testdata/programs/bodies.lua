-- Bodies that attract each other, with their coordinates in fields of tables.
local function body(x, y, vx, vy, mass) return { x = x, y = y, vx = vx, vy = vy, mass = mass } end

local function pull(a, b, dt)
  local dx, dy = a.x - b.x, a.y - b.y
  local square = dx * dx + dy * dy + 0.01
  local force = dt / (square * square ^ 0.5)
  a.vx = a.vx - dx * b.mass * force
  a.vy = a.vy - dy * b.mass * force
  b.vx = b.vx + dx * a.mass * force
  b.vy = b.vy + dy * a.mass * force
end

local function advance(bodies, dt)
  local n = #bodies
  for i = 1, n do
    local a = bodies[i]
    for j = i + 1, n do pull(a, bodies[j], dt) end
  end
  for i = 1, n do
    local a = bodies[i]
    a.x = a.x + dt * a.vx
    a.y = a.y + dt * a.vy
  end
end

local bodies = {
  body(0, 0, 0, 0, 40), body(5, 0, 0, 2.5, 0.1), body(0, 8, -2, 0, 0.2), body(-12, 0, 0, -1.7, 0.3), body(0, -17, 1.4, 0, 0.1),
}
for step = 1, 12000 do advance(bodies, 0.01) end
result = string.format("%.6f", bodies[1].x + bodies[2].y)
