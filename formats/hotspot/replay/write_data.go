package replay

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// matureState is the state of a MethodData that C2 trusts. Profiles that do not come from
// replay files get this state.
const matureState = 2

// methodData adds the ciMethodData line of a profile.
func (w *writer) methodData(p pending) error {
	if _, undecoded := p.Undecoded(); undecoded {
		w.report.Lost.Add(LossUndecoded, 1)
		return nil
	}
	d := methodData{methodKey: p.methodKey, state: matureState, klasses: map[int]string{}, methods: map[int]methodKey{}}
	if c, ok := p.Compile(); ok && (c.State != 0 || w.kept[p.methodKey]) {
		d.state = int64(min(c.State, matureState))
	}
	invocations, _ := p.Invocations()
	d.invocations = int64(min(invocations.Load(), 1<<32-1))
	header, lost := writeHistory(p.Profile)
	if d.header = header; lost {
		w.report.Lost.Add(LossHistory, 1)
	}
	if _, ok := p.Escape(); ok {
		w.report.Lost.Add(LossEscape, 1)
	}
	e := encoder{writer: w, methodData: &d}
	if err := e.encodeProfile(p.Profile); err != nil {
		return err
	}
	w.data = append(w.data, d)
	return nil
}

// An encoder encodes the words of one profile.
type encoder struct {
	*writer
	*methodData
}

// encodeProfile encodes the whole profile, or its data entries alone if the number of
// free words is not known. A VM accepts only these two.
func (e *encoder) encodeProfile(p reader.Profile) error {
	if err := e.section(p, layout.SectionData, nil); err != nil {
		return err
	}
	end, ok := e.end(p)
	if !ok {
		if rawWords(p, layout.SectionExtra) > 0 {
			e.report.Lost.Add(LossDataAlone, 1)
		}
		return nil
	}
	if err := e.section(p, layout.SectionExtra, func(t layout.Tag) bool { return t != layout.TagArgInfo }); err != nil {
		return err
	}
	e.words = append(e.words, make([]uint64, end-len(e.words))...)
	if err := e.section(p, layout.SectionExtra, func(t layout.Tag) bool { return t == layout.TagArgInfo }); err != nil {
		return err
	}
	if err := e.section(p, layout.SectionParameters, nil); err != nil {
		return err
	}
	return e.section(p, layout.SectionHandlers, nil)
}

// end returns the index of the word after the free ones, which follows from the size of
// the VM's MethodData. ok is false if that is not known.
func (e *encoder) end(p reader.Profile) (n int, ok bool) {
	head, ok := headSize(e.version, e.shape)
	_, size := p.Size()
	tail, hasInfo := 0, false
	for x := range p.Section(layout.SectionExtra) {
		if x.Tag() == layout.TagArgInfo {
			tail, hasInfo = len(x.Bytes())/disk.CellSize, true
		}
	}
	before := len(e.words) + rawWords(p, layout.SectionExtra) - tail
	tail += rawWords(p, layout.SectionParameters) + rawWords(p, layout.SectionHandlers)
	n = (int(size)-head)/disk.CellSize - tail
	return n, ok && hasInfo && n >= before && n-before < maxFree
}

// maxFree bounds the free words: three of a hundred bytecodes may have two each.
const maxFree = 1 << 13

// rawWords returns the size of a section in words.
func rawWords(p reader.Profile, s layout.BlockSection) (n int) {
	for x := range p.Section(s) {
		n += len(x.Bytes()) / disk.CellSize
	}
	return n
}

// section encodes the entries of a section with wanted tags, all if wanted is nil.
func (e *encoder) section(p reader.Profile, s layout.BlockSection, wanted func(layout.Tag) bool) error {
	for x := range p.Section(s) {
		if wanted != nil && !wanted(x.Tag()) {
			continue
		}
		if err := e.entry(x); err != nil {
			return err
		}
	}
	return nil
}

// entry encodes an entry.
func (e *encoder) entry(x reader.Entry) error {
	if x.Tag().Wide() {
		return e.wide(x)
	}
	at := len(e.words)
	for raw := disk.Entry(x.Bytes()); len(raw) > 0; raw = raw[disk.CellSize:] {
		e.words = append(e.words, binary.LittleEndian.Uint64(raw))
	}
	if x.Tag() == layout.TagSpeculativeTrap {
		return e.trap(x, at)
	}
	e.report.Entries++
	for cell, kind := range e.shape.Pointers(disk.Entry(x.Bytes())) {
		if err := e.pointer(at, cell, kind); err != nil {
			return err
		}
	}
	return nil
}

// pointer encodes a type: its name, and in its cell a word that cannot be a pointer, with
// the tags. A type without a record is left out: the VM would treat it as not loaded, and
// fail.
func (e *encoder) pointer(at, cell int, kind disk.CellKind) error {
	word := &e.words[at+1+cell]
	tags := uint64(0)
	if kind == disk.CellTypeWord {
		tags = *word & disk.TypeTags
	}
	if *word&^tags == 0 {
		return nil
	}
	t, err := e.store.TypeAt(disk.RefOf(int64(*word - tags - e.store.Header().Base)))
	if err != nil {
		return err
	}
	return e.typeAt(at, cell, tags, t)
}

// typeAt sets the name of the type in a cell.
func (e *encoder) typeAt(at, cell int, tags uint64, t reader.Type) error {
	name, err := t.Name()
	if err != nil {
		return err
	}
	class := e.names.file(name.String())
	if _, err := e.needInitialized(names.Element(class)); err != nil {
		return err
	}
	if !e.available(class) {
		e.leaveOut(at, cell, tags)
		return nil
	}
	e.words[at+1+cell] = typeWord | tags
	e.klasses[at+1+cell] = class
	return nil
}

// typeWord is the word that the VM replaces by a pointer to a class.
const typeWord = 0x1000

// leaveOut clears a row. The counts of a call move to those of receivers without a row.
func (e *encoder) leaveOut(at, cell int, tags uint64) {
	e.report.Lost.Add(LossType, 1)
	e.words[at+1+cell] = tags
	switch tag := layout.Tag(e.words[at]); tag {
	case layout.TagVirtualCall, layout.TagVirtualCallType:
		if cell < e.shape.ReceiverRow(e.shape.TypeRows) {
			e.words[at+1] += e.words[at+2+cell]
			e.words[at+2+cell] = 0
		}
	case layout.TagReceiverType:
		e.words[at+2+cell] = 0
	}
}

// trap encodes the method of a speculative trap, or leaves the trap out.
func (e *encoder) trap(x reader.Entry, at int) error {
	m, err := x.Trap()
	if err != nil || !m.Valid() {
		return e.dropTrap(at, err)
	}
	key, err := m.Key()
	if err != nil {
		return err
	}
	k := methodKey{e.names.file(key.Class), key.Name, key.Signature}
	if !e.methodSet[k] {
		c, method, ok, err := e.resolve(k.class, k)
		if err != nil || !ok || c.Name != k.class {
			return e.dropTrap(at, err)
		}
		if there, err := e.needClass(k.class); err != nil || !there {
			return e.dropTrap(at, err)
		}
		if err := e.writer.method(k, method); err != nil {
			return err
		}
	}
	e.report.Entries++
	e.words[at+1] = typeWord
	e.methods[at+1] = k
	return nil
}

func (e *encoder) dropTrap(at int, err error) error {
	e.report.Lost.Add(LossTrap, 1)
	e.words = e.words[:at]
	return err
}

// wide encodes a wide entry that came from a merge, with its most frequent receivers, as
// many as the VM has rows. The VM has no other wide entries.
func (e *encoder) wide(x reader.Entry) error {
	e.report.Lost.Add(LossWide, 1)
	receivers, ok := x.Receivers()
	if !ok {
		return nil
	}
	tag := layout.TagVirtualCall
	if x.Sub() == layout.SubTypeCheck {
		tag = layout.TagReceiverType
	}
	at := len(e.words)
	e.words = append(e.words, uint64(tag)|uint64(x.Flags()&layout.EntryNullSeen)<<8|uint64(uint16(x.Point()))<<16|uint64(x.Traps())<<32)
	e.words = append(e.words, make([]uint64, e.shape.Cells(tag, 0))...)
	e.words[at+1] = receivers.Other().Load()
	e.report.Entries++
	for i, row := range mostFrequent(receivers) {
		if i >= e.shape.TypeRows {
			if tag == layout.TagVirtualCall {
				e.words[at+1] += row.Count.Load()
			}
			continue
		}
		cell := e.shape.ReceiverRow(i)
		e.words[at+1+cell], e.words[at+2+cell] = typeWord, row.Count.Load()
		if err := e.typeAt(at, cell, 0, row.Type); err != nil {
			return err
		}
	}
	return nil
}

// mostFrequent returns the receivers, those with most counts first.
func mostFrequent(r reader.Receivers) []reader.Receiver {
	return slices.SortedStableFunc(r.All(), func(a, b reader.Receiver) int { return cmp.Compare(b.Count.Load(), a.Count.Load()) })
}
