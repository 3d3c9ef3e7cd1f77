package iprof

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// drawArchive makes an archive of what iprof can say.
func drawArchive(t *rapid.T) *builder.Builder {
	b := builder.New(layout.DomainGraal, builder.Config{})
	b.Internal().Table(disk.TableProperties, 0, disk.ColumnSymbol, disk.ColumnSymbol).
		Row(uint64(b.Internal().Symbol(versionProperty)), uint64(b.Internal().Symbol("1.1.0")))
	d := &drawn{T: t, b: b}
	d.drawTypes()
	d.drawMethods()
	for range rapid.IntRange(0, 8).Draw(t, "profiles") {
		d.drawProfile()
	}
	d.drawTables()
	for i, m := range d.methods {
		if !d.ran[i] {
			b.Seen(m)
		}
	}
	return b
}

type drawn struct {
	*rapid.T
	b       *builder.Builder
	names   []string // of types, as a signature spells them
	types   []builder.TypeRef
	methods []builder.MethodRef
	ran     map[int]bool
	begun   map[string]bool
}

var anyName = rapid.OneOf(rapid.StringMatching(`[a-c]{0,2}`),
	rapid.SampledFrom([]string{"java.lang.String", "a,b", "x(y)", "#", "\\", "Ω", "[I"}))

func (d *drawn) drawTypes() {
	names := rapid.SliceOfNDistinct(anyName, 1, 6, rapid.ID[string]).Draw(d.T, "types")
	for _, name := range names {
		name = quoteName(name)
		d.types = append(d.types, d.b.Type(builder.TypeKey{Name: name}))
		d.names = append(d.names, signatureName(name, ""))
	}
}

func (d *drawn) drawMethods() {
	d.ran, d.begun = map[int]bool{}, map[string]bool{}
	seen := map[builder.MethodRef]bool{}
	for range rapid.IntRange(1, 6).Draw(d.T, "methods") {
		k := layout.Key{Name: quoteName(anyName.Draw(d.T, "name"))}
		if rapid.Bool().Draw(d.T, "declared") {
			i := rapid.IntRange(0, len(d.names)-1).Draw(d.T, "class")
			if k.Class = unquoteTypeName(d.names[i]); k.Class == "" {
				k.Signature = noName + noNameEnd
			}
			some := rapid.SliceOfN(rapid.SampledFrom(d.names), 0, 3).Draw(d.T, "signature")
			if len(some) > 0 {
				k.Signature += some[0] + "(" + strings.Join(some[1:], ",") + ")"
			}
		}
		if m := d.b.Method(k); !seen[m] {
			seen[m] = true
			d.methods = append(d.methods, m)
		}
	}
}

// method returns a method that runs.
func (d *drawn) method() builder.MethodRef {
	i := rapid.IntRange(0, len(d.methods)-1).Draw(d.T, "method")
	d.ran[i] = true
	return d.methods[i]
}

func (d *drawn) point() int32 { return rapid.Int32Range(-6, 5).Draw(d.T, "point") }

var anyCount = rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64Range(0, 1<<63-1))

func (d *drawn) drawProfile() {
	m := d.method()
	var frames []builder.Frame
	for range rapid.IntRange(0, 3).Draw(d.T, "depth") {
		frames = append(frames, builder.Frame{Caller: d.method(), Point: d.point()})
	}
	at := fmt.Sprint(m, frames)
	if d.begun[at] {
		return
	}
	d.begun[at] = true
	p := d.b.ProfileIn(m, 0, d.b.Context(m, frames...))
	p.Invocations(anyCount.Draw(d.T, "calls"))
	for range rapid.IntRange(0, 4).Draw(d.T, "entries") {
		switch rapid.IntRange(0, 3).Draw(d.T, "kind") {
		case 0:
			p.Count(builder.Count{Point: d.point(), Sub: layout.SubCalls, N: anyCount.Draw(d.T, "count")})
		case 1:
			p.Successors(d.point(), layout.SubConditional, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) builder.Successor {
				return builder.Successor{Point: rapid.Int32().Draw(t, "to"), Index: rapid.Uint32().Draw(t, "index"),
					Count: anyCount.Draw(t, "count")}
			}), 0, 3).Draw(d.T, "successors")...)
		case 2:
			p.Receivers(builder.Receivers{Point: d.point(), Sub: layout.SubVirtualCall}, d.rows()...)
		case 3:
			p.Receivers(builder.Receivers{Point: d.point(), Sub: layout.SubTypeCheck}, d.rows()...)
		}
	}
	if err := p.Done(); err != nil {
		d.Fatal(err)
	}
}

func (d *drawn) rows() (rows []builder.Row) {
	for range rapid.IntRange(0, 3).Draw(d.T, "rows") {
		rows = append(rows, builder.Row{Type: rapid.SampledFrom(d.types).Draw(d.T, "type"),
			Count: anyCount.Draw(d.T, "count")})
	}
	return rows
}

func (d *drawn) drawTables() {
	if n := rapid.IntRange(0, 2).Draw(d.T, "monitors"); n > 0 {
		t := d.b.Internal().Table(disk.TableMonitors, 0, disk.ColumnType, disk.ColumnWord)
		for range n {
			t.Row(uint64(rapid.SampledFrom(d.types).Draw(d.T, "type")), anyCount.Draw(d.T, "count"))
		}
	}
	for stack := range rapid.IntRange(0, 3).Draw(d.T, "stacks") {
		t := d.b.Internal().Table(disk.TableSamples, 0, disk.ColumnWord, disk.ColumnMethod, disk.ColumnWord, disk.ColumnWord)
		count := anyCount.Draw(d.T, "count")
		for range rapid.IntRange(1, 4).Draw(d.T, "depth") {
			t.Row(uint64(stack), uint64(d.method()), uint64(int64(d.point())), count)
		}
	}
}

// TestArchivesComeBack: any archive of what iprof can say is the same after it
// was written and read, and the file is valid.
func TestArchivesComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := archiveOf(t, drawArchive(r))
		text, out := write(t, want, WriteOptions{})
		if len(out.Lost) > 0 {
			t.Fatalf("lost %v", out.Lost)
		}
		got, in := read(t, text, ReadOptions{Unordered: true})
		if !bytes.Equal(got, want) || len(in.Lost) > 0 {
			r.Fatalf("another archive, %+v, of %s", in, text)
		}
		ordered, _ := read(t, text, ReadOptions{})
		if again, _ := write(t, ordered, WriteOptions{}); again != text {
			r.Fatalf("another text:\n%s\n%s", text, again)
		}
	})
}

// TestNamesComeBack: any name, with halves of surrogate pairs or not, is what it
// was after it was part of a key.
func TestNamesComeBack(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "\\", "?", "\x00", "#", "é", "𝄞", "\xed\xa0\x80", "\xed\xb0\x80", "u0000",
		"\"", "\n", ",", "("})
	rapid.Check(t, func(r *rapid.T) {
		name := strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(r, "pieces"), "")
		spelled := quoteName(name)
		if got := string(unquoteName(nil, []byte(spelled))); got != name {
			r.Fatalf("%q came back as %q", name, got)
		}
		if _, isID := parseIDName(spelled); isID {
			r.Fatalf("%q is spelled like an id", name)
		}
		if got := unquoteTypeName(signatureName(spelled, "")); got != spelled {
			r.Fatalf("%q in a signature came back as %q", spelled, got)
		}
	})
}

// TestSignaturesComeBack: the types of a signature are what they were put together of.
func TestSignaturesComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SliceOfN(rapid.Map(anyName, func(n string) string { return signatureName(n, "") }), 1,
			4).Draw(r, "names")
		signature := names[0] + "(" + strings.Join(names[1:], ",") + ")"
		for _, number := range []string{"", "#2"} {
			got, ok := splitSignature(nil, cutNumber(signature+number))
			if diff := cmp.Diff(names, got); !ok || diff != "" {
				r.Fatalf("%q: %s", signature, diff)
			}
		}
	})
}

// TestOrderIsNotTrusted: an order that does not fit, or no order at all, never
// makes writing fail, and the file has all that the archive has.
func TestOrderIsNotTrusted(t *testing.T) {
	unordered, _ := read(t, fibonacci, ReadOptions{Unordered: true})
	want, _ := write(t, unordered, WriteOptions{})
	rapid.Check(t, func(r *rapid.T) {
		b, _, err := Read(strings.NewReader(fibonacci), ReadOptions{Unordered: true})
		if err != nil {
			t.Fatal(err)
		}
		runs := b.Internal().Table(disk.TableOrderRuns, 0)
		for range rapid.IntRange(1, 6).Draw(r, "runs") {
			runs.Row(drawRun(r, b)...)
		}
		table := b.Internal().Table(disk.TableOrder, 0, disk.ColumnType, disk.ColumnMethod, disk.ColumnProfile)
		for range rapid.IntRange(1, 6).Draw(r, "rows") {
			table.Row(rapid.Uint64Range(0, 7).Draw(r, "type"), rapid.Uint64Range(0, 5).Draw(r, "method"),
				rapid.Uint64Range(0, 3).Draw(r, "profile"))
		}
		text, report := write(t, archiveOf(t, b), WriteOptions{})
		if report.Lost.Count(LossOrder) != 1 || text != want {
			r.Fatalf("%+v\n%s\n%s", report, text, want)
		}
	})
}

// drawRun draws a row of the runs of a source order.
func drawRun(r *rapid.T, b *builder.Builder) []uint64 {
	key := rapid.SampledFrom(append(sectionKeys[version:], "x", "")).Draw(r, "key")
	kept := rapid.Uint64Range(0, 4).Draw(r, "kept")
	items := rapid.OneOf(rapid.Uint64Range(0, 7), rapid.Uint64()).Draw(r, "items")
	first := rapid.OneOf(rapid.Uint64Range(0, 50), rapid.Uint64()).Draw(r, "first")
	return []uint64{uint64(b.Internal().Symbol(key)), kept, items, first}
}

// TestChangedOrderIsNotTrusted: a source order with one changed number never
// makes writing fail, and one that does not fit is not used.
func TestChangedOrderIsNotTrusted(t *testing.T) {
	t.Parallel()
	unordered, _ := read(t, fibonacci, ReadOptions{Unordered: true})
	want, _ := write(t, unordered, WriteOptions{})
	data, _ := read(t, fibonacci, ReadOptions{})
	ordered := open(t, data)
	if text, report := write(t, archiveWithOrder(t, ordered, -1, 0, 0), WriteOptions{}); text != fibonacci ||
		len(report.Lost) > 0 {
		t.Fatalf("unchanged: %v\n%s", report.Lost, text)
	}
	runs, err := ordered.Table(disk.TableOrderRuns)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for row := range runs.Rows {
		for column := 1; column < runs.Columns(); column++ {
			for _, n := range []uint64{0, 1, 3, 5, runs.Cell(column, row) + 1, 1 << 31, 1<<63 - 1, 1<<64 - 1} {
				text, report := write(t, archiveWithOrder(t, ordered, row, column, n), WriteOptions{})
				if report.Lost.Count(LossOrder) == 0 {
					continue
				}
				refused++
				if text != want {
					t.Errorf("row %d, column %d, %d: refused, and not written without an order:\n%s", row, column, n, text)
				}
			}
		}
	}
	if refused < 3*runs.Rows {
		t.Errorf("%d changes were refused, of %d rows", refused, runs.Rows)
	}
}

// archiveWithOrder returns the archive of fibonacci with the order of another
// archive of it, but for one changed cell of the runs.
func archiveWithOrder(t *testing.T, ordered *reader.Store, row, column int, cell uint64) []byte {
	t.Helper()
	b, _, err := Read(strings.NewReader(fibonacci), ReadOptions{Unordered: true})
	if err != nil {
		t.Fatal(err)
	}
	refs := &orderRefs{t: t, s: ordered, b: b, profiles: map[layout.Ref]uint64{}}
	for _, kind := range []disk.TableKind{disk.TableOrderRuns, disk.TableOrder} {
		from, err := ordered.Table(kind)
		if err != nil {
			t.Fatal(err)
		}
		kinds := make([]disk.ColumnKind, from.Columns())
		cells := make([][]uint64, from.Rows)
		for i := range kinds { // profiles are numbered in the order of the columns
			kinds[i] = from.Column(i)
			for r := range cells {
				cells[r] = append(cells[r], refs.of(kinds[i], from.Cell(i, r)))
			}
		}
		if kind == disk.TableOrderRuns && row >= 0 {
			cells[row][column] = cell
		}
		to := b.Internal().Table(kind, 0, kinds...)
		for _, c := range cells {
			to.Row(c...)
		}
	}
	return archiveOf(t, b)
}

// orderRefs turns references of an archive into references of a builder that has the same types and methods,
// and whose profiles are the archive's, in the order in which the source order has them first.
type orderRefs struct {
	t        *testing.T
	s        *reader.Store
	b        *builder.Builder
	profiles map[layout.Ref]uint64
}

func (r *orderRefs) of(kind disk.ColumnKind, cell uint64) uint64 {
	ref := layout.Ref(cell)
	switch {
	case kind == disk.ColumnWord || cell == 0:
		return cell
	case kind == disk.ColumnSymbol:
		return uint64(r.b.Internal().Symbol(orFail(r.s.SymbolAt(ref))(r.t).String()))
	case kind == disk.ColumnType:
		name := orFail(orFail(r.s.TypeAt(ref))(r.t).Name())(r.t)
		return uint64(r.b.Type(builder.TypeKey{Name: name.String()}))
	case kind == disk.ColumnMethod:
		return uint64(r.b.Method(orFail(orFail(r.s.MethodAt(ref))(r.t).Key())(r.t)))
	}
	if r.profiles[ref] == 0 {
		r.profiles[ref] = uint64(len(r.profiles) + 1)
	}
	return r.profiles[ref]
}

func orFail[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
