package builder_test

import (
	"bytes"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

func hotspotParams() (p layout.Params) {
	p.TypeProfileWidth, p.BciProfileWidth, p.ReceiverGap = 2, 2, 1
	return p
}

func TestSmallArchiveIsSound(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams()})
	m := b.Method(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"})
	square := b.Type(builder.TypeKey{Name: "Square"})
	p := b.Profile(m, 0, builder.NoContext)
	p.Invocations(61205)
	p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 60949}, builder.Row{Type: square, Count: 7})
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: 1, Displacement: 32, NotTaken: 2})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	data, report, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if h.Counts.Profiles != 1 || h.Counts.Entries != 2 || h.Counts.Pointers != 2 || report.Bytes != int64(len(data)) {
		t.Errorf("header %+v, report %+v", h.Counts, report)
	}
	again, _, err := b.Bytes()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same builder gave other bytes: %v", err)
	}
	mapping, err := archive.FromBytes("small", data, archive.Options{Check: archive.CheckAll})
	if err != nil {
		t.Fatal(err)
	}
	_ = mapping
}
