package live

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// In a JVM with profarc's agent, MethodData may include counts of an archive. The agent exports a list of the cells
// that it wrote and the values (agent/adopted.h). A dump subtracts them, so that only this JVM's own counts remain.

type Adopted struct {
	Archive  dumpID `json:"archive"`       // with layers, of the topmost
	Base     dumpID `json:"base,omitzero"` // of the base layer
	Profiles int    `json:"profiles"`
	// Unused is the number of these that the JVM has not counted in. The dump omits them.
	Unused int `json:"unused"`
	// Kept is whether the dump includes the adopted counts; see Options.KeepAdopted.
	Kept bool `json:"kept"`
}

// A dumpID is in hexadecimal in JSON.
type dumpID [16]byte

func (id dumpID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// ErrAdopted is the error if the JVM adopted an archive and the archive's counts cannot be distinguished from its own.
var ErrAdopted = errors.New("it adopted an archive, and its agent does not tell what it wrote, " +
	"so that a dump would have the archive's counts as this run's")

// Constants of an agent's list, struct table in agent/adopted.c.
const (
	adoptedSymbol  = "profarc_adopted"
	adoptedMagic   = 0x646574706f646170
	adoptedVersion = 1
	agentName      = "libprofarc-agent"
	maxLibraryMaps = 1 << 9 // maximum number of libraries to search for the symbol
)

type adoptedTable struct {
	Magic                               uint64
	Version, RowSize, Chunk, MostChunks uint32
	N                                   uint64
	Archive, Base                       [16]byte
}

type adoptedKind uint32

const (
	adoptedMethod adoptedKind = 1 + iota
	adoptedProfile
	adoptedEnd
	adoptedCount
	adoptedCheck
	adoptedRow
	adoptedWord
	adoptedBits
	adoptedByte
	adoptedStruck
)

type adoptedCell struct {
	Cell, What uint64
	Value      uint32
	Kind       adoptedKind
}

type listedCell struct {
	adoptedCell
	number int
}

type adoption struct {
	archive, base [16]byte
	methods       map[uint64]adoptedData // key: method address
	cells         []listedCell           // sorted by address, then by number
	wrote         bool                   // whether an agent wrote to any MethodData
	unreadable    bool                   // whether an agent does not list its cells
}

type adoptedData struct {
	data   uint64 // address of the MethodData; 0 if the agent wrote to none
	weight uint64
	number int // number of the first row
	ended  bool
}

type agents struct {
	tables   []uint64
	unlisted bool // whether there is an agent without a list
}

func (vm *VM) findAgents(m *meter) (found agents, err error) {
	if vm.agents != nil {
		return *vm.agents, nil
	}
	mem := newPageCache(vm.p, m)
	left := maxLibraryMaps
	agent := false
	for mapping, err := range vm.p.mappings(m.ctx) {
		if err != nil {
			return found, err
		}
		if mapping.Offset != 0 || !strings.Contains(mapping.Name(), ".so") || left == 0 {
			continue
		}
		left--
		agent = agent || strings.HasPrefix(mapping.Name(), agentName)
		l, err := openLibrary(mem, mapping.Start)
		if err != nil {
			continue // a file mapped as data
		}
		if at, ok := l.findSymbol(adoptedSymbol); ok {
			found.tables = append(found.tables, at)
		}
	}
	found.unlisted = agent && len(found.tables) == 0
	return found, m.end
}

// readAdoption reads the lists after the profiles. It therefore includes profiles that a running JVM adopts during the
// walk.
func (w *walker) readAdoption() (*adoption, error) {
	a := &adoption{methods: map[uint64]adoptedData{}, unreadable: w.agents.unlisted}
	for _, at := range w.agents.tables {
		if err := w.readAdoptedTable(a, at); err != nil {
			if w.budget.meter.end != nil {
				return nil, err
			}
			a.unreadable = true
		}
	}
	slices.SortStableFunc(a.cells, func(x, y listedCell) int { return cmp.Compare(x.Cell, y.Cell) })
	return a, nil
}

func (w *walker) readAdoptedTable(a *adoption, at uint64) error {
	var t adoptedTable
	head := binary.Size(t)
	b, err := w.readStructure(at, head)
	if err != nil {
		return err
	}
	if _, err := binary.Decode(b, le, &t); err != nil {
		return err
	}
	size := binary.Size(adoptedCell{})
	if t.Magic != adoptedMagic || t.Version != adoptedVersion || int(t.RowSize) != size || t.Chunk == 0 ||
		t.N > uint64(t.Chunk)*uint64(t.MostChunks) {
		return fmt.Errorf("%w: the list of an agent", ErrStructure)
	}
	if t.N > 0 {
		a.archive = t.Archive
		a.base = t.Base
	}
	for first := uint64(0); first < t.N; first += uint64(t.Chunk) {
		chunk, err := wordAt(w.src, at+uint64(head)+pointerWidth*(first/uint64(t.Chunk)))
		if err != nil {
			return err
		}
		n := int(min(t.N-first, uint64(t.Chunk)))
		if n > maxRead/size {
			return fmt.Errorf("%w: a part of %d rows in the list of an agent", ErrStructure, n)
		}
		b, err = w.readStructure(chunk, n*size)
		if err != nil {
			return err
		}
		rows := make([]adoptedCell, n)
		if _, err := binary.Decode(b, le, rows); err != nil {
			return err
		}
		a.addRows(rows)
	}
	return nil
}

func (a *adoption) addRows(rows []adoptedCell) {
	for _, r := range rows {
		number := len(a.cells)
		switch p := a.methods[r.Cell]; r.Kind {
		case adoptedMethod:
			a.methods[r.Cell] = adoptedData{number: number}
		case adoptedProfile:
			a.wrote = true
			p.data = r.What
			p.weight = uint64(r.Value)
			a.methods[r.Cell] = p
		case adoptedEnd:
			p.ended = true
			a.methods[r.Cell] = p
		default:
			a.cells = append(a.cells, listedCell{r, number})
		}
	}
}

// lookUp returns the writes to a method's MethodData, by cell address; ok is false if it adopted nothing. Another
// method, with other MethodData, may have been at its address before.
func (a *adoption) lookUp(m *methodData) (p adoptedData, last map[uint64]adoptedCell, ok bool) {
	p, ok = a.methods[m.addr]
	if !ok || p.ended && p.data != m.dataAt {
		return p, nil, false
	}
	last = map[uint64]adoptedCell{}
	byAddress := func(c listedCell, at uint64) int { return cmp.Compare(c.Cell, at) }
	first, _ := slices.BinarySearchFunc(a.cells, m.dataAt, byAddress)
	for _, c := range a.cells[first:] {
		if c.Cell >= m.dataAt+uint64(len(m.data)) {
			break
		}
		if c.number >= p.number { // others belong to a previous method
			last[c.Cell] = c.adoptedCell
		}
	}
	return p, last, true
}

func (b *build) describeAdopted() {
	a := b.snap.adopted
	if !a.wrote {
		return
	}
	b.report.Adopted = &Adopted{Archive: a.archive, Base: a.base, Kept: b.keepAdopted}
	if !b.keepAdopted {
		b.report.Run.Since = a.archive
	}
}

// describeKept adds the adopted archives to the table of runs if the dump includes their counts, so that a merge does
// not count them twice.
func (b *build) describeKept() {
	if b.report.Adopted == nil || !b.keepAdopted {
		return
	}
	for _, id := range [][16]byte{b.snap.adopted.archive, b.snap.adopted.base} {
		if id == ([16]byte{}) {
			continue
		}
		row := disk.RunRowOf(&layout.Provenance{DumpID: id})
		b.Internal().Table(disk.TableRuns, 0).Row(append(slices.Clone(row.Words[:]), make([]uint64, disk.RunTexts)...)...)
	}
}

func (b *build) subtractAdopted(f *profiledMethod) error {
	p, cells, ok := b.snap.adopted.lookUp(f.methodData)
	switch {
	case !ok || b.keepAdopted && !p.ended:
		return nil
	case !p.ended:
		return RefusedAdopting
	}
	b.report.Adopted.Profiles++
	if b.keepAdopted {
		return nil
	}
	s := subtraction{s: b.vm.schema, shape: b.shape, f: f, cells: cells}
	f.adopted, f.data = true, append([]byte(nil), f.data...)
	s.subtractInvocations(p.weight)
	h := s.s.decodeHeader(f.data, f.counters)
	ran := h.invocations+h.backedges > 0
	for at, c := range cells {
		s.subtractCell(f.data[at-f.dataAt:], c, ran)
	}
	var err error
	f.sections, err = s.s.data.parseSections(f.data, b.shape)
	if err != nil {
		return err
	}
	s.correctEntries(disk.SectionData, s.s.data.data)
	s.correctEntries(disk.SectionParameters, s.s.data.data+uint64(int32(le.Uint32(f.data[s.s.data.parameters:]))))
	return nil
}

type subtraction struct {
	s     *schema
	shape disk.Shape
	f     *profiledMethod
	cells map[uint64]adoptedCell // the agent's writes by address
}

func (s *subtraction) subtractInvocations(weight uint64) {
	b := s.f.data[s.s.data.invocations:]
	counter := le.Uint32(b)
	if counter&carryBit == 0 {
		le.PutUint32(b, counter-uint32(min(s.s.counterValue(counter), weight)*s.s.increment))
	}
}

func (s *subtraction) subtractCell(b []byte, c adoptedCell, ran bool) {
	if c.Kind == adoptedByte {
		b[0] -= byte(min(uint32(b[0]), c.Value))
		return
	}
	if c.Cell%disk.CellSize != 0 || len(b) < disk.CellSize {
		return
	}
	switch v := le.Uint64(b); c.Kind {
	case adoptedCount:
		le.PutUint64(b, v-min(v, uint64(c.Value)))
	case adoptedCheck:
		le.PutUint64(b, v-uint64(int64(int32(c.Value))))
	case adoptedRow:
		s.subtractReceiver(b, c)
	case adoptedBits:
		le.PutUint64(b, subtractBits(v, c.What, ran))
	}
}

// subtractReceiver empties a row that counted nothing here. The agent writes the class of a row last.
func (s *subtraction) subtractReceiver(b []byte, c adoptedCell) {
	class := le.Uint64(b)
	if len(b) < 2*disk.CellSize || class != 0 && class != c.What {
		return
	}
	count := b[disk.CellSize:]
	n := le.Uint64(count)
	n -= min(n, uint64(c.Value))
	if class == 0 || n == 0 {
		le.PutUint64(b, 0)
		n = 0
	}
	le.PutUint64(count, n)
}

// The first word of an entry: tag, flags, bci, traps.
const (
	flagBits = uint64(0xff) << 8
	trapBits = uint64(0xffffffff) << 32
	tagBits  = uint64(0xff)
)

// subtractBits removes the archive's bits from the first word of an entry. Another trap changes the trap code, so if
// it is still the archive's, nothing trapped here. A flag that the program set again cannot be distinguished from the
// archive's, so flags stay if the method ran. An entry that the agent created becomes a free word if nothing remains.
func subtractBits(v, written uint64, ran bool) uint64 {
	if v&trapBits == written&trapBits {
		v &^= trapBits
	}
	if !ran {
		v &^= written & flagBits
	}
	if written&tagBits != 0 && v&(trapBits|flagBits) == 0 {
		return freeTag
	}
	return v
}

// correctEntries corrects parts of entries that depend on counts: types without own counts, and the order of receivers.
func (s *subtraction) correctEntries(section disk.BlockSection, at uint64) {
	h := s.s.decodeHeader(s.f.data, s.f.counters)
	for _, e := range s.f.sections[section] {
		if _, ok := s.shape.Schema(e.Tag()); !ok {
			return // and the rest is unknown
		}
		counted := section == disk.SectionParameters && h.invocations > 0
		for cell := range s.shape.Counts(e) {
			counted = counted || e.Cell(cell) != 0
		}
		for cell, kind := range s.shape.Pointers(e) {
			c, ok := s.cells[s.f.dataAt+at+disk.CellSize*uint64(1+cell)]
			if ok && kind == disk.CellTypeWord && c.Kind == adoptedWord {
				e.SetCell(cell, subtractTypeWord(e.Cell(cell), c.What, counted))
			}
		}
		moveReceivers(s.shape, e)
		at += uint64(len(e))
	}
}

// subtractTypeWord removes the archive's type from a type word. If the call did not happen here, the word becomes 0. If
// it did, a single type is the type of all values. With several types it removes the archive's.
func subtractTypeWord(v, written uint64, counted bool) uint64 {
	const tags = disk.TypeNullSeen | disk.TypeUnknown
	switch {
	case !counted:
		return 0
	case v&disk.TypeUnknown != 0 && v&^tags == written&^tags:
		return v & tags
	}
	return v
}

func hasReceivers(e disk.Entry) bool {
	switch e.Tag() {
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType:
		return true
	}
	return false
}

// moveReceivers moves receivers up to rows that have become empty, since the VM fills the first rows.
func moveReceivers(shape disk.Shape, e disk.Entry) {
	if !hasReceivers(e) {
		return
	}
	to := 0
	for from := range shape.TypeRows {
		class := e.Cell(shape.ReceiverRow(from))
		count := e.Cell(shape.ReceiverRow(from) + 1)
		if class == 0 {
			continue
		}
		e.SetCell(shape.ReceiverRow(from), 0)
		e.SetCell(shape.ReceiverRow(from)+1, 0)
		e.SetCell(shape.ReceiverRow(to), class)
		e.SetCell(shape.ReceiverRow(to)+1, count)
		to++
	}
}

// isUnused reports whether a profile has only adopted content, so that a JVM without the archive would not have it.
func (b *build) isUnused(f *profiledMethod) bool {
	if !f.adopted || b.vm.schema.everCompiled(f, b.plausibleHeaders) {
		return false
	}
	h := b.vm.schema.decodeHeader(f.data, f.counters)
	traps := h.history.OverflowTraps
	for _, n := range h.traps {
		traps += uint32(n)
	}
	return h.invocations == 0 && h.backedges == 0 && traps == 0
}
