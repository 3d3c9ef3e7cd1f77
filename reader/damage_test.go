package reader_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// answers returns all that a store holds, as numbers, until the first error.
func answers(s *reader.Store) (all []uint64, err error) {
	for _, k := range []layout.Key{keyArea, keySum, keySumToo, keyMany, keyIdle, keyCodes, keyBare, keyMain, keyLoop} {
		m, err := s.Find(k)
		if err != nil {
			return all, err
		}
		if _, err := s.FindID(m.ID()); err != nil {
			return all, err
		}
		all = append(all, uint64(m.Ref()))
		for range 2 { // as checked now, and as checked before
			p, err := s.Profile(k, layout.CodeAny)
			if err != nil && !isMiss(err) {
				return all, err
			}
			q, err := s.ProfileID(k.ID(layout.DomainHotSpot), layout.CodeAny)
			if err != nil && !isMiss(err) {
				return all, err
			}
			all = append(all, uint64(p.Ref()), uint64(q.Ref()))
		}
	}
	for t, err := range s.Types() {
		if err != nil {
			return all, err
		}
		for _, f := range []func() (reader.Name, error){t.Name, t.Loader, t.Alias} {
			name, err := f()
			if err != nil {
				return all, err
			}
			all = append(all, uint64(name.Len()))
		}
	}
	for table, err := range s.Tables() {
		if err != nil {
			return all, err
		}
		all = append(all, uint64(table.Rows))
	}
	for m, err := range s.Methods() {
		if err != nil {
			return all, err
		}
		if _, err := m.Key(); err != nil {
			return all, err
		}
		if all, err = methodAnswers(all, m); err != nil {
			return all, err
		}
	}
	return all, nil
}

func methodAnswers(all []uint64, m reader.Method) ([]uint64, error) {
	for c, err := range m.Contexts() {
		if err != nil {
			return all, err
		}
		frames, err := c.Frames()
		if err != nil {
			return all, err
		}
		all = append(all, uint64(len(frames)))
		if _, _, err := m.Profile(layout.CodeAny, frames...); err != nil && !errors.Is(err, reader.ErrAmbiguous) {
			return all, err
		}
	}
	for p, err := range m.Profiles() {
		if err != nil {
			return all, err
		}
		if all, err = profileAnswers(all, p); err != nil {
			return all, err
		}
		live, err := p.Claim()
		if bigEndian && errors.Is(err, reader.ErrNotAdopted) || errors.Is(err, reader.ErrUndecoded) {
			continue
		}
		if err != nil {
			return all, err
		}
		if all, err = profileAnswers(all, live); err != nil {
			return all, err
		}
	}
	return all, nil
}

func profileAnswers(all []uint64, p reader.Profile) ([]uint64, error) {
	c, _ := p.Invocations()
	history, _ := disk.Block(p.Bytes()).History()
	all = append(all, c.Load(), p.Code(), uint64(history.Decompiles), uint64(len(p.TrapHistory())))
	for section := range disk.SectionDirectory {
		for e := range p.Section(section) {
			all = append(all, uint64(e.Tag()), uint64(e.Flags()), uint64(e.Traps()), uint64(e.Sub()))
			var err error
			if all, err = entryAnswers(all, e); err != nil {
				return all, err
			}
			if first, ok := p.At(e.Point()); ok {
				all = append(all, uint64(first.Offset()))
			}
		}
	}
	return all, nil
}

func entryAnswers(all []uint64, e reader.Entry) ([]uint64, error) {
	if r, ok := e.Receivers(); ok {
		for row := range r.All() {
			flags, err := row.Type.Flags()
			if err != nil {
				return all, err
			}
			all = append(all, uint64(row.Type.Ordinal()), uint64(flags), row.Count.Load())
		}
	}
	if list, ok := e.Types(); ok {
		for i := range list.Args() {
			_, w := list.Arg(i)
			all = append(all, uint64(w.Type.Ordinal()))
		}
	}
	if bits, ok := e.Bitmap(); ok {
		all = append(all, uint64(len(bits)))
	}
	if r, ok := e.Rows(); ok {
		for row := range r.Len() {
			all = append(all, r.Cell(row, 0).Trained())
			if _, err := r.Method(row); err != nil {
				return all, err
			}
		}
	}
	m, err := e.Trap()
	return append(all, uint64(m.Ref())), err
}

// answersOf opens an archive and asks it for everything, adopted elsewhere.
func answersOf(data []byte, o archive.Options) ([]uint64, error) {
	return adoptedAnswers(data, o, reader.AdoptOptions{})
}

func adoptedAnswers(data []byte, open archive.Options, o reader.AdoptOptions) ([]uint64, error) {
	m, err := archive.FromBytes("damaged.parc", data, open)
	if err != nil {
		return nil, err
	}
	s := reader.New(m)
	if err := s.Adopt(o); err != nil && !bigEndianRefuses(err) {
		return nil, err
	}
	return answers(s)
}

func sound(t *testing.T) (data []byte, all []uint64) {
	t.Helper()
	b := fixture(0)
	b.Internal().Table(disk.TableMonitors, 0, disk.ColumnType, disk.ColumnWord).Row(0, 77)
	data = laid(t, b)
	all, err := answersOf(data, archive.Options{})
	if err != nil || len(all) < 300 {
		t.Fatalf("%d answers, %v", len(all), err)
	}
	return data, all
}

// places returns offsets in an archive: some in every region, few in the padding before rw.
func places(data []byte) (at []int) {
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		panic(err)
	}
	for r := disk.RegionHeader; r <= disk.RegionRW; r++ {
		for i := disk.RegionOf(h, r).Offset; i < disk.RegionOf(h, r).End(); i += 7 {
			at = append(at, int(i))
		}
	}
	for i := 0; i < len(data); i += 4001 {
		at = append(at, i)
	}
	return at
}

// TestChangedByteIsDetectedOrHarmless: with a changed byte, the answers are the same, or
// there is a typed error.
func TestChangedByteIsDetectedOrHarmless(t *testing.T) {
	for _, o := range []reader.AdoptOptions{{}, {Eager: true}} {
		t.Run(fmt.Sprintf("eager=%t", o.Eager), func(t *testing.T) { changeBytes(t, o) })
	}
}

func changeBytes(t *testing.T, o reader.AdoptOptions) {
	data, want := sound(t)
	refused := 0
	for _, i := range places(data) {
		damaged := slices.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		got, err := adoptedAnswers(damaged, archive.Options{}, o)
		var typed *layout.Error
		switch {
		case err == nil && !slices.Equal(got, want):
			t.Fatalf("byte 0x%x: other answers (-want +got):\n%s", i, cmp.Diff(want, got))
		case err != nil && (!errors.As(err, &typed) || typed.File != "damaged.parc"):
			t.Fatalf("byte 0x%x: %v", i, err)
		case err != nil:
			refused++
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed")
	}
}

const harmlessRounds = 2000

// Without sums damage may go unnoticed, but nothing panics, loops or leaves the
// bounds, and every refusal is a typed error.
func TestDamageWithoutSumsIsHarmless(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	data, _ := sound(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for round := range harmlessRounds {
		damaged := slices.Clone(data)
		for range 1 + rnd.IntN(3) {
			r := []layout.Region{disk.RegionIX, disk.RegionRO, disk.RegionBM, disk.RegionEX, disk.RegionRW}[rnd.IntN(5)]
			at := disk.RegionOf(h, r).Offset + rnd.Int64N(disk.RegionOf(h, r).Size)
			damaged[at] = []byte{0, 1, 0xff, byte(rnd.Uint32()), damaged[at] + 8}[rnd.IntN(5)]
		}
		_, err := adoptedAnswers(damaged, archive.Options{Unchecked: true}, reader.AdoptOptions{Eager: round%2 == 1})
		var typed *layout.Error
		if err != nil && !errors.As(err, &typed) && !isMiss(err) {
			t.Fatal(err)
		}
		if typed != nil {
			refused++
		}
	}
	if refused < harmlessRounds/10 {
		t.Errorf("%d of %d damaged archives were refused", refused, harmlessRounds)
	}
}

// What the sums can not tell, an archive that was written wrong, the checks of
// records, blocks and links tell, with the place.
func TestInvalidArchivesAreRefused(t *testing.T) {
	data, _ := sound(t)
	s := open(t, data)
	h := s.Header()
	many, codes, area := profileOf(t, s, keyMany), codesProfile(t, s), profileOf(t, s, keyArea)
	sum := find(t, s, keySum)
	dir := disk.Block(many.Bytes()).SectionSpan(disk.SectionDirectory)
	entry := entryAt(t, area, 6)
	inData := area.Ref().Offset() + disk.Block(area.Bytes()).SectionSpan(disk.SectionData).Offset + int64(entry.Offset())
	links, _ := disk.Block(codes.Bytes()).FieldOffset(disk.HasLinks)
	var contexts []reader.Context
	for c := range sum.Contexts() {
		contexts = append(contexts, c)
	}
	first, deep := contexts[0].Ref().Offset(), contexts[len(contexts)-1].Ref().Offset()
	const u32, u64 = 4, 8
	for _, c := range []struct {
		what   string
		at     int64
		width  int
		value  uint64
		region layout.Region
	}{
		{"directory row with another point", many.Ref().Offset() + dir.Offset, u32, 1, disk.RegionRW},
		{"directory row with another offset", many.Ref().Offset() + dir.Offset + 4, u32, 1, disk.RegionRW},
		{"block of no size", area.Ref().Offset(), u32, 0, disk.RegionRW},
		{"block that is too long", area.Ref().Offset(), u32, 1 << 31, disk.RegionRW},
		{"block of another method", codes.Ref().Offset() + 4, u32, uint64(sum.Ref()), disk.RegionRW},
		{"block of no method", codes.Ref().Offset() + 4, u32, uint64(codes.Ref()), disk.RegionRW},
		{"block in another context", codes.Ref().Offset() + links, u32, uint64(contexts[0].Ref()), disk.RegionRW},
		{"block in no context", codes.Ref().Offset() + links, u32, uint64(contexts[0].Ref()) + 1, disk.RegionRW},
		{"chain that loops", codes.Ref().Offset() + links + 4, u32, uint64(codes.Ref()), disk.RegionRW},
		{"unknown presence", area.Ref().Offset() + 8, u32, 1 << 30, disk.RegionRW},
		{"unknown tag", inData, 1, 200, disk.RegionRW},
		{"pointer outside", inData + int64(disk.Entry(entry.Bytes()).CellOffset(1)), u64, 16, disk.RegionRW},
		{"pointer between types", inData + int64(disk.Entry(entry.Bytes()).CellOffset(1)), u64,
			disk.Pointer(h.Base, h.Parts[disk.PartTypes].Offset+8), disk.RegionRW},
		{"pointer with tags where none are", inData + int64(disk.Entry(entry.Bytes()).CellOffset(1)), u64,
			disk.Pointer(h.Base, h.Parts[disk.PartTypes].Offset+1), disk.RegionRW},
		{"method of no size", sum.Ref().Offset() + 4, 2, 0, disk.RegionRO},
		{"method that is too long", sum.Ref().Offset() + 4, 2, 0xffff, disk.RegionRO},
		{"name outside", sum.Ref().Offset(), u32, uint64(area.Ref()), disk.RegionRO},
		{"holder that is no type", sum.Ref().Offset() + 8, u32, uint64(sum.Ref()), disk.RegionRO},
		{"context of its own parent", deep, u32, uint64(deep / 8), disk.RegionRO},
		{"context with a parent after it", first, u32, uint64(deep / 8), disk.RegionRO},
		{"context with a parent between two", deep, u32, uint64(first/8) + 1, disk.RegionRO},
		{"context without a parent", first, u32, 0, disk.RegionRO},
		{"context of another method", first, u32, uint64(area.Ref()), disk.RegionRO},
		{"context of a method that has no contexts", deep, u32, uint64(area.Ref()), disk.RegionRO},
		{"context that sorts after its sibling", first + 4, u32, uint64(sum.Ref()), disk.RegionRO},
		{"contexts outside", sum.Ref().Offset() + 24, u32, uint64(deep / 8), disk.RegionRO},
		{"contexts between two", sum.Ref().Offset() + 24, u32, uint64(first/8) + 1, disk.RegionRO},
		{"more contexts than there are", sum.Ref().Offset() + 28, u32, 1 << 31, disk.RegionRO},
		{"tables without a directory", disk.RegionOf(h, disk.RegionEX).Offset, u32, 2000, disk.RegionEX},
		{"table that begins elsewhere", disk.RegionOf(h, disk.RegionEX).Offset + 16, u64, 8, disk.RegionEX},
		{"table of another kind", disk.RegionOf(h, disk.RegionEX).Offset + disk.TablesHeaderSize, u32, 5, disk.RegionEX},
		{"table of too many columns",
			disk.RegionOf(h, disk.RegionEX).Offset + disk.TablesHeaderSize + disk.TableRowSize + 8, u32,
			65, disk.RegionEX},
		{"bitmaps of other chunks", disk.RegionOf(h, disk.RegionBM).Offset, u32, 2, disk.RegionBM},
		{"bitmap outside", disk.RegionOf(h, disk.RegionBM).Offset + 8, u32, 1, disk.RegionBM},
		{"bitmap with another cookie", disk.RegionOf(h, disk.RegionBM).Offset + 16, u32, 12347, disk.RegionBM},
		{"bitmap with slots outside", disk.RegionOf(h, disk.RegionBM).End() - 8, u64, ^uint64(0), disk.RegionBM},
	} {
		t.Run(c.what, func(t *testing.T) {
			if bigEndian && c.region == disk.RegionBM {
				return // which only an adoption reads
			}
			damaged := slices.Clone(data)
			value := binary.LittleEndian.AppendUint64(nil, c.value)
			copy(damaged[c.at:c.at+int64(c.width)], value)
			_, err := answersOf(damaged, archive.Options{Unchecked: true})
			var typed *layout.Error
			if !errors.Is(err, layout.ErrCorrupt) || !errors.As(err, &typed) {
				t.Errorf("%s: %v", c.what, err)
				return
			}
			if typed.Region != c.region || typed.File != "damaged.parc" || typed.Offset <= 0 {
				t.Errorf("%s: %v, want a place in %s", c.what, err, c.region)
			}
		})
	}
}

// codesProfile returns the first of the two versions of keyCodes.
func codesProfile(t *testing.T, s *reader.Store) reader.Profile {
	t.Helper()
	p, _, err := find(t, s, keyCodes).Profile(0xc0de0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestIndexSlotWithInvalidReference(t *testing.T) {
	t.Parallel()
	data := laid(t, numbered(1))
	ix := disk.RegionOf(open(t, data).Header(), disk.RegionIX)
	line := disk.Line(data[ix.Offset:])
	for slot := range disk.LineSlots {
		if line.Record(slot) != 0 {
			binary.LittleEndian.PutUint32(data[ix.Offset+24+4*int64(slot):], 1)
		}
	}
	m, err := archive.FromBytes("index.parc", data, archive.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	var typed *layout.Error
	_, err = reader.New(m).Find(numberedKey(0))
	if !errors.Is(err, layout.ErrCorrupt) || !errors.As(err, &typed) {
		t.Fatalf("find: %v, want ErrCorrupt with a place", err)
	}
	testarchive.CheckEqual(t, "region of the error", typed.Region, disk.RegionIX)
	testarchive.CheckEqual(t, "offset of the error", typed.Offset, ix.Offset)
}

// A profile whose file is changed under the mapping after it was checked gives
// less, or something else, but does not panic.
func TestBytesThatChangeAfterTheCheck(t *testing.T) {
	data := laid(t, fixture(0))
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		changing := words.AlignedBytes(len(data))
		copy(changing, data)
		s := open(t, changing)
		adopt(t, s, reader.AdoptOptions{})
		var profiles []reader.Profile
		for _, k := range []layout.Key{keyArea, keyMany, keyLoop} {
			profiles = append(profiles, profileOf(t, s, k), adoptProfile(t, s, k))
		}
		p := profiles[rnd.IntN(len(profiles))]
		for range 1 + rnd.IntN(4) {
			at := p.Ref().Offset() + rnd.Int64N(min(int64(len(p.Bytes())), 64+rnd.Int64N(400)))
			changing[at] = byte(rnd.Uint32())
		}
		profileAnswers(nil, p) // errors are fine, a panic is not
		if again, err := s.ProfileAt(p.Ref()); err == nil {
			profileAnswers(nil, again)
		}
	}
}
