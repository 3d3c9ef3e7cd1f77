package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// What no archive of this project's has is counted: flags of an entry that has
// none, and a wide entry among the extra entries.
func TestOddEntriesAreCounted(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	p := b.Profile(layout.Key{Name: "f"}, 0)
	b.Internal().Domain = layout.DomainLLVMIR // makes an archive that no builder writes
	p.Counters(0, 7)
	b.Internal().Domain = layout.DomainHotSpot
	p.Counter(builder.At{In: disk.SectionExtra}, 0)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("odd.parc", bytesOf(t, b), archive.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	f, err := s.Find(layout.Key{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	stored, _, err := f.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	for e := range stored.Entries() {
		disk.Entry(e.Bytes()).SetFlags(1)
	}
	for e := range stored.Section(disk.SectionExtra) {
		_, odd := disk.NewWide(nil, layout.TagCounters, 0, 0, 0, 0, 0)
		copy(disk.Entry(e.Bytes()), odd)
	}
	var text bytes.Buffer
	report, err := Write(&text, s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(codec.Losses{{What: LossMeaningless, Count: 1}, {What: LossMisplaced, Count: 1}},
		report.Lost); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(text.String(), "\n    @0 Counters 7\n\nend\n") {
		t.Errorf("the text is\n%s", text.String())
	}
}
