package sketch

// identify finds what stands for each variable: of a parameter its place, of
// another one the expression that it is first set to, in which the variables stand
// for what they were first set to, themselves without variables. Where several
// variables would stand for the same, all that they are set to tells them apart.
func identify(g *graph, v *variables) (identity func(variable int) uint64, ok bool) {
	level := func(int) uint64 { return 0 }
	var shapes map[int]uint64
	for range 2 {
		r := &run{g: g, v: v, sets: map[int]uint64{}, identity: level}
		if !r.all() {
			return nil, false
		}
		if shapes == nil {
			shapes = r.sets
		}
		sets := r.sets
		level = func(variable int) uint64 { return v.byFirst(variable, sets) }
	}
	return v.apart(level, shapes), true
}

// byFirst identifies a variable by what it is first set to.
func (v *variables) byFirst(variable int, sets map[int]uint64) uint64 {
	if first := v.first[variable]; first >= 0 {
		return sets[int(first)]
	}
	return uint64(-v.first[variable])
}

// apart tells variables of one identity apart by all that they are set to.
func (v *variables) apart(identity func(int) uint64, sets map[int]uint64) func(int) uint64 {
	all := map[int][]uint64{} // by variable
	for i, node := range v.defined {
		if node >= 0 {
			variable := v.variable(node)
			all[variable] = append(all[variable], sets[i])
		}
	}
	known, twins := map[uint64]int{}, map[uint64]bool{}
	for variable := range all {
		id := identity(variable)
		if other, ok := known[id]; ok && other != variable {
			twins[id] = true
		}
		known[id] = variable
	}
	return func(variable int) uint64 {
		id := identity(variable)
		if twins[id] {
			return mix(id, inNoOrder(append([]uint64(nil), all[variable]...)))
		}
		return id
	}
}
