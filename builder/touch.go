package builder

// Records are gathered in the order of names from where they were put in the
// order of their arrival: of millions, hardly any is in a cache. So each is
// touched a while before it is needed, and what it leads to a little later: the
// processor then waits for many at once. The sum of what was touched keeps the
// compiler from leaving it out.
const (
	touchFirst  = 32 // records ahead
	touchSecond = 16
)

// touchMethods touches what the records behind the one at place i in the order
// of methods are made from.
func (p *plan) touchMethods(i int) {
	if i+touchFirst < len(p.o.methods) {
		ref := p.o.methods[i+touchFirst]
		p.touched += uint64(p.b.methods.at(uint32(ref)).name) + uint64(p.records[ref-1].units)
	}
	if i+touchSecond < len(p.o.methods) {
		if name := p.b.methods.at(uint32(p.o.methods[i+touchSecond])).name; name != 0 {
			p.touched += uint64(firstByte(p.b.text(name)))
		}
	}
}

// touchBlocks touches the blocks behind the one at place i in the order of
// profiles.
func (p *plan) touchBlocks(i int) {
	if i+touchFirst < len(p.o.profiles) {
		ref := p.o.profiles[i+touchFirst]
		p.touched += uint64(p.b.profiles.at(uint32(ref)).block.size) + uint64(p.next[ref-1])
	}
	if i+touchSecond < len(p.o.profiles) {
		p.touched += uint64(p.b.block(p.o.profiles[i+touchSecond])[0])
	}
}

func firstByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[0]
}
