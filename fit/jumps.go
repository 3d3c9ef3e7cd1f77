package fit

import "slices"

// jumps finds the partners of jumps. A jump is the same if what lies between it
// and the point before it has not changed, the same branches lead to it, and it
// leads to the same point.
func (m *matcher) jumps() {
	partners := m.neighbours()
	for i, j := range partners {
		if j >= 0 && m.sameWays(m.a.in[i], m.b.in[j]) && m.sameGoal(partners, i, j) {
			m.to[i], m.from[j], m.confidence[i] = j, i, sure
		}
	}
}

// neighbours returns each jump the one that stands in the same place behind the
// partner of the point before, -1 for none.
func (m *matcher) neighbours() (partners []int) {
	partners = slices.Repeat([]int{-1}, len(m.to))
	for i := range m.a.points {
		if m.a.points[i].Kind != Jump {
			continue
		}
		j := 0
		if i > 0 {
			if j = max(m.to[i-1], partners[i-1]) + 1; j == 0 {
				continue
			}
		}
		if j < len(m.from) && m.b.points[j].Kind == Jump && m.a.before[i] == m.b.before[j] {
			partners[i] = j
		}
	}
	return partners
}

// sameWays reports whether old and new edges come from the same points.
func (m *matcher) sameWays(a, b []edge) bool {
	if len(a) != len(b) {
		return false
	}
	for _, e := range a {
		if e.point != outside {
			if e.point = m.to[e.point]; e.point < 0 {
				return false
			}
		}
		if !slices.Contains(b, e) {
			return false
		}
	}
	return true
}

// sameGoal reports whether two jumps lead to the same point.
func (m *matcher) sameGoal(jumps []int, i, j int) bool {
	from, to := goal(&m.a.points[i], 0), goal(&m.b.points[j], 0)
	switch {
	case from < 0 || to < 0:
		return false
	case from >= len(m.to):
		return to >= len(m.from)
	}
	return m.to[from] == to || jumps[from] == to
}
