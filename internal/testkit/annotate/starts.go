package annotate

import "context"

// Starts are places where records of different sizes begin: about one for each 16 KiB of
// symbols, methods and blocks, so that a window is found without what is before it. It takes
// some four bytes for each 16 KiB of the file.
type Starts struct {
	first []uint32 // by piece of the file: the first record that begins there, in units of 8 bytes; 0 if none is known
}

// pieceShift makes pieces of 16 KiB.
const pieceShift = 14

// FindStarts reads the symbols and methods of an archive from record to record, and the blocks
// from the index. Progress, if not nil, is called with the part of the file that is done.
func FindStarts(ctx context.Context, data []byte, progress func(done, total int64)) (found *Starts, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recovered(p)
		}
	}()
	f := &finder{dumper: &dumper{data: data}, ctx: ctx, progress: progress}
	f.readHeader()
	f.first = make([]uint32, len(data)>>pieceShift+1)
	for _, section := range []struct {
		name string
		size func(at int64) int64
	}{{"symbols", f.symbolSize}, {"methods", f.methodSize}} {
		if err := f.walk(f.header.sections[section.name], section.size); err != nil {
			return nil, err
		}
	}
	return &f.Starts, f.blocks(f.header.regions["ix"], f.header.regions["rw"])
}

// A finder finds the starts of an archive.
type finder struct {
	*dumper
	Starts
	ctx      context.Context
	progress func(done, total int64)
	steps    int
}

// step says how far the finder has come, now and then.
func (f *finder) step(at int64) error {
	if f.steps++; f.steps%(1<<16) != 0 {
		return nil
	}
	if f.progress != nil {
		f.progress(at, f.header.regions["rw"].offset)
	}
	return f.ctx.Err()
}

// walk notes the records of a section, whose sizes follow from their bytes.
func (f *finder) walk(s span, size func(at int64) int64) error {
	for at := s.offset; at < s.end(); at += size(at) {
		f.note(at)
		if err := f.step(at); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) symbolSize(at int64) int64 {
	const list = 1 << 31
	n := f.u32(at)
	if n&list != 0 {
		return (4 + 4*int64(n&^list) + 7) &^ 7
	}
	return (4 + int64(n) + 7) &^ 7
}

func (f *finder) methodSize(at int64) int64 { return max(8*int64(f.u16(at+4)), 8) }

// blocks notes the blocks that the index leads to.
func (f *finder) blocks(ix, rw span) error {
	const lineSize, slots, firstSlot = 64, 10, 24
	for line := ix.offset; line < ix.end(); line += lineSize {
		for i := range int64(slots) {
			if at := int64(f.u32(line+firstSlot+4*i)) * 8; at >= rw.offset && at < rw.end() {
				f.note(at)
			}
		}
		if err := f.step(line); err != nil {
			return err
		}
	}
	return nil
}

// note notes that a record begins at an offset.
func (s *Starts) note(at int64) {
	if first := &s.first[at>>pieceShift]; *first == 0 || int64(*first)*8 > at {
		*first = uint32(at / 8)
	}
}

// before returns the last place in a section, no later than at, where a record is known to
// begin; the start of the section if none is.
func (s *Starts) before(section span, at int64) int64 {
	for piece := min(at>>pieceShift, int64(len(s.first))-1); piece >= section.offset>>pieceShift; piece-- {
		if start := int64(s.first[piece]) * 8; start >= section.offset && start <= at && start < section.end() {
			return start
		}
	}
	return section.offset
}
