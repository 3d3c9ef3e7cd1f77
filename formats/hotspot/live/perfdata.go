package live

// The VM keeps a table of measurements and facts for jstat and jcmd (PerfMemory),
// of which the texts are of use here. A VM may be run without it.
//
//	prologue, 32 bytes: u32 magic, u8 byte order, ..., i32 entry offset at 24, i32 number of entries at 28
//	entry: i32 length, i32 name offset, i32 vector length, u8 type, u8 flags, u8 unit, u8 variability, i32 data offset
const (
	perfMagic    = 0xc0c0feca // as stored on a little-endian machine
	perfPrologue = 32
	perfEntry    = 20
	perfByte     = 'B' // type of a text's bytes
	maxPerfData  = 1 << 20
)

// perfTexts reads the texts of the VM's PerfMemory, by their names; none if there
// is none, or it is not what it should be.
func (vm *VM) perfTexts(mem source) map[string]string {
	texts := map[string]string{}
	start, ok1 := vm.staticWord(mem, "PerfMemory::_start")
	top, ok2 := vm.staticWord(mem, "PerfMemory::_top")
	if !ok1 || !ok2 || start == 0 || top-start < perfPrologue || top-start > maxPerfData {
		return texts
	}
	b, err := mem.bytes(start, int(top-start))
	if err != nil || le.Uint32(b) != perfMagic {
		return texts
	}
	rest := b[min(le.Uint32(b[24:]), uint32(len(b))):]
	for len(rest) >= perfEntry {
		length := le.Uint32(rest)
		if length < perfEntry || length > uint32(len(rest)) {
			break
		}
		if name, text, ok := perfText(rest[:length]); ok {
			texts[name] = text
		}
		rest = rest[length:]
	}
	return texts
}

// perfText takes an entry apart; ok is false if it is no text.
func perfText(e []byte) (name, text string, ok bool) {
	at, n, data := le.Uint32(e[4:]), le.Uint32(e[8:]), le.Uint32(e[16:])
	size := uint32(len(e))
	if n == 0 || e[12] != perfByte || at > size || data > size || n > size-data {
		return "", "", false
	}
	return untilNUL(e[at:]), untilNUL(e[data : data+n]), true
}

// staticWord reads a static field of 8 bytes; ok is false if the VM does not
// export it.
func (vm *VM) staticWord(mem source, name string) (v uint64, ok bool) {
	f, ok := vm.tables.fields[name]
	if !ok || !f.static || vm.tables.twice[name] {
		return 0, false
	}
	v, err := word(mem, f.addr)
	return v, err == nil
}
