package iprof

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// TestLosses: what iprof cannot say is counted, and the rest is written.
func TestLosses(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	m := b.Method(layout.Key{Class: "A", Name: "m", Signature: "void()", Loader: "app"})
	n := b.Method(layout.Key{Class: "A", Name: "n", Signature: "(I)V"})
	p := b.ProfileIn(m, 7, b.Context(m, builder.Frame{Caller: n, Point: 1}))
	p.Invocations(1 << 63)
	p.Backedges(2)
	p.Receivers(builder.Receivers{Point: 1, Sub: layout.SubVirtualCall, Flags: layout.EntryNullSeen, Other: 3},
		builder.Row{Count: 4})
	p.Receivers(builder.Receivers{Point: 2, Sub: layout.SubTypeCheck})
	p.Successors(3, disk.SubReturn)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	b.Internal().Table(disk.TableForeign, 0, disk.ColumnSymbol, disk.ColumnSymbol).Row(uint64(b.Internal().Symbol("/x")),
		uint64(b.Internal().Symbol("{no JSON")))
	b.Internal().Table(disk.TableHeapRefs, 0, disk.ColumnWord, disk.ColumnWord).Row(1, 2)
	text, report := write(t, archiveOf(t, b), WriteOptions{Version: "1.0.0"})
	valid(t, text, "1.0.0")
	got := map[codec.LossKind]int{}
	for _, l := range report.Lost {
		got[l.What] = l.Count
	}
	want := map[codec.LossKind]int{
		LossLoader: 1, LossSignature: 1, LossCode: 1, LossCount: 1, LossCounter: 1, LossRows: 1, LossNoType: 1,
		LossInstanceof: 1, LossEntry: 1, LossForeign: 1, LossTable: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s\n%s", diff, text)
	}
}

// TestSpecimens: an archive that was not made of an iprof file is written where
// it is of the domain, and refused otherwise.
func TestSpecimens(t *testing.T) {
	for _, s := range specimen.All() {
		data, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		_, err = Write(&out, open(t, data), WriteOptions{})
		switch {
		case s.Domain != layout.DomainGraal:
			if !errors.Is(err, builder.ErrMismatch) || out.Len() > 0 {
				t.Errorf("%s: %v, %d bytes", s.Name, err, out.Len())
			}
		case err != nil || !json.Valid(out.Bytes()):
			t.Errorf("%s: %v: %s", s.Name, err, out.Bytes())
		}
	}
	data, _ := read(t, fibonacci, ReadOptions{})
	if _, err := Write(&bytes.Buffer{}, open(t, data), WriteOptions{Version: "3"}); !errors.Is(err, ErrVersion) {
		t.Errorf("version 3: %v", err)
	}
}

// TestDetect: files are recognised by their beginning.
func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		printers: true, printers[:30]: true, `{"version":"0.2.0","hotnessPoints":[]`: true,
		"{\n \"samplingProfiles\" : [":         true,
		`{"header":{},"types":[],"methods":[]`: false, `{"methods":[]`: true, `{"header":{},"callCountProfiles":`: true,
		`{"version":"1.0.0"`: true, `{`: true, "{ \"ver": true, `{"version"`: true, `{"version":"1.0.0", `: true,
		`{"version":"1.0.0","typ`: true,
		`{"versions`:              false, `{"version":"1.0.0","na`: false, `{"header":{},"ty`: false,
		`{"version":"1.0.0"}`: false, `{"name":"package","version":"1.0.0"}`: false, `[]`: false, ``: false, `{}`: false,
	} {
		if Detect([]byte(head)) != want {
			t.Errorf("%.60s: not %t", head, want)
		}
	}
}
