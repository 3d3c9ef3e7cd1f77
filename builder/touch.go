package builder

// Records are gathered in the order of names from where they were put in the
// order of their arrival: of millions, hardly any is in a cache. So a group of
// them is touched before any of it is used, in loops so short that the processor
// waits for many at once. The sum of what was touched keeps the compiler from
// leaving it out.
const touchGroup = 128

// touchMethods touches what the records from place i in the order of methods on
// are made from, if a group begins there.
func (p *plan) touchMethods(i int) {
	if i%touchGroup != 0 {
		return
	}
	group := p.o.methods[i:min(i+touchGroup, len(p.o.methods))]
	sum := uint64(0)
	for _, ref := range group {
		sum += uint64(p.b.methods.at(uint32(ref)).name) + uint64(p.records[ref-1].units)
	}
	var places [touchGroup]place
	for k, ref := range group {
		if name := p.b.methods.at(uint32(ref)).name; name != 0 {
			places[k] = *p.b.symbols.places.at(uint32(name))
		}
	}
	for _, at := range places[:len(group)] {
		sum += uint64(firstByte(p.b.symbols.texts.at(at)))
	}
	p.touched += sum
}

// touchBlocks touches the blocks from place i in the order of profiles on, if a
// group begins there.
func (p *plan) touchBlocks(i int) {
	if i%touchGroup != 0 {
		return
	}
	group := p.o.profiles[i:min(i+touchGroup, len(p.o.profiles))]
	sum := uint64(0)
	var places [touchGroup]place
	for k, ref := range group {
		places[k] = p.b.profiles.at(uint32(ref)).block
		sum += uint64(p.next[ref-1])
	}
	for _, at := range places[:len(group)] {
		if b := p.b.blocks.at(at); len(b) > 0 {
			sum += uint64(b[0]) + uint64(b[len(b)-1])
		}
	}
	p.touched += sum
}

func firstByte(text []byte) byte {
	if len(text) == 0 {
		return 0
	}
	return text[0]
}
