package builder

// Records are gathered in the order of names from where they were put in the
// order of their arrival: of millions, hardly any is in a cache. So a group of
// them is touched before any of it is used, in loops so short that the processor
// waits for many at once. The sum of what was touched keeps the compiler from
// leaving it out.
const touchGroup = 128

// touchNames touches the names in the records from place i on, if a group begins
// there.
func (p *plan) touchNames(i int) {
	if i%touchGroup != 0 {
		return
	}
	sum := uint64(0)
	for k := range p.records[i:min(i+touchGroup, len(p.records))] {
		sum += ends(p.b.symbols.texts.at(p.records[i+k].name))
	}
	p.touched += sum
}

// touchBlocks touches the blocks from place i in the order of profiles on, if a
// group begins there.
func (p *plan) touchBlocks(i int) {
	if i%touchGroup != 0 {
		return
	}
	sum := uint64(0)
	for k := range p.profiles[i:min(i+touchGroup, len(p.profiles))] {
		sum += ends(p.b.blocks.at(p.profiles[i+k].block))
	}
	p.touched += sum
}

// ends is made from the first byte and the last, which may lie in another line.
func ends(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	return uint64(b[0]) + uint64(b[len(b)-1])
}

func firstByte(text []byte) byte {
	if len(text) == 0 {
		return 0
	}
	return text[0]
}
