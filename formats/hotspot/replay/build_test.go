package replay

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// Of the many receivers that a merge leaves the VM gets those seen most, and
// the others in the count of all others.
func TestManyReceivers(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2}})
	key := layout.Key{Class: program, Name: "hot", Signature: "(L" + shapes + "Shape;I)I", Loader: "app"}
	p := b.Profile(b.Method(key), 0, builder.NoContext)
	p.Invocations(5000)
	p.Compile(builder.Compile{Level: 4})
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: 5000, Displacement: 0x30})
	p.Counter(builder.At{Bci: 8}, 0)
	row := func(class string, n uint64) builder.Row {
		return builder.Row{Type: b.Type(builder.TypeKey{Name: shapes + class, Loader: "app"}), Count: n}
	}
	p.Receivers(builder.Receivers{Point: 15, Sub: layout.SubVirtualCall, Flags: layout.EntryNullSeen, Other: 7}, row("Square", 100), row("Circle", 3000), row("Triangle", 2000))
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	report, err := Write(&out, open(t, data), WriteOptions{Method: key, ClassPath: []string{classes(t)}})
	if err != nil || report.Lost.Count(LossWide) != 1 {
		t.Fatalf("report: %+v, %v", report, err)
	}
	d := mustParse(t, out.String()).data[0]
	if d.state != matureState || d.invocations != 5000 {
		t.Errorf("state %d, %d invocations", d.state, d.invocations)
	}
	want := []uint64{0xf0105, 107, typeWord, 3000, typeWord, 2000}
	if diff := cmp.Diff(want, d.words[6:]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[int]string{8: shapes + "Circle", 10: shapes + "Triangle"}, d.klasses); diff != "" {
		t.Error(diff)
	}
}

// Extra entries, free words, ArgInfo, parameters and handlers are written in the
// VM's order; a trap of a method that is nowhere leaves room.
func TestExtraEntries(t *testing.T) {
	const words = 2 + 1 + 2 + 4 + 3 + 4 + 1 // Counter, Bit, SpeculativeTrap, free, ArgInfo, ParametersType, handler
	for _, trapped := range []string{shapes + "Circle", "not/There"} {
		b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2}})
		key := layout.Key{Class: program, Name: "rare", Signature: "(I)I"}
		p := b.Profile(b.Method(key), 0, builder.NoContext)
		p.Size(builder.Size{Host: headSize25 + 8*words})
		p.Counter(builder.At{Bci: 1}, 9)
		p.Bit(builder.At{Bci: 2, Traps: 3, In: layout.SectionExtra})
		p.SpeculativeTrap(builder.At{Bci: 3, Traps: 4}, b.Method(layout.Key{Class: trapped, Name: "area", Signature: "()I"}))
		p.ArgInfo(5)
		p.Parameters(builder.Slot{Stack: 1, Type: builder.TypeWord{Type: b.Type(builder.TypeKey{Name: "[I"}), NullSeen: true}})
		p.Bit(builder.At{Bci: 6, Flags: 2, In: layout.SectionHandlers})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		data, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		report, err := Write(&out, open(t, data), WriteOptions{Method: key, ClassPath: []string{classes(t)}})
		if err != nil {
			t.Fatal(err)
		}
		d := mustParse(t, out.String()).data[0]
		want := []uint64{0x10002, 9, 3<<32 | 0x20001, 4<<32 | 0x3000d, typeWord, 0, 0, 0, 0, 9, 1, 5, 12, 2, 1, typeWord | 1, 0x60201}
		methods := map[int]methodKey{4: {trapped, "area", "()I"}}
		if trapped == "not/There" {
			want[3], want[4], methods = 0, 0, map[int]methodKey{}
		}
		if got := report.Lost.Count(LossTrap); got != 1-len(methods) {
			t.Errorf("%d traps lost", got)
		}
		if diff := cmp.Diff(want, d.words); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(methods, d.methods, inside); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[int]string{15: "[I"}, d.klasses); diff != "" {
			t.Error(diff)
		}
	}
}
