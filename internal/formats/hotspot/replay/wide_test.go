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
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{2, 2}})
	key := layout.Key{Class: program, Name: "hot", Signature: "(L" + shapes + "Shape;I)I"}
	p := b.Profile(b.Method(key), 0, builder.NoContext)
	p.Invocations(5000)
	p.Branch(builder.At{Bci: 3}, 5000, 0x30, 0)
	p.Counter(builder.At{Bci: 8}, 0)
	row := func(class string, n uint64) builder.Row {
		return builder.Row{Type: b.Type(builder.TypeKey{Name: shapes + class}), Count: n}
	}
	p.Receivers(15, layout.SubVirtualCall, layout.WideNullSeen, 7, 0, row("Square", 100), row("Circle", 3000), row("Triangle", 2000))
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	report, err := Write(&out, open(t, data), WriteOptions{Method: key, ClassPath: []string{classes(t)}})
	if err != nil || report.Losses(LossWide) != 1 {
		t.Fatalf("report: %+v, %v", report, err)
	}
	d := mustParse(t, out.String()).data[0]
	want := []uint64{0xf0105, 107, typeWord, 3000, typeWord, 2000}
	if diff := cmp.Diff(want, d.words[6:]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[int]string{8: shapes + "Circle", 10: shapes + "Triangle"}, d.klasses); diff != "" {
		t.Error(diff)
	}
}
