package jsondump_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func store(t *testing.T, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("specimen", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

func dumped(t *testing.T, b *builder.Builder) string {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := jsondump.WriteArchive(&out, store(t, data)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// archiveJSON is the outermost shape of a dump.
type archiveJSON struct {
	Header struct {
		Domain string
		Counts []uint64
	}
	Types   []struct{ Name string }
	Methods []struct {
		ID       string
		Name     string
		Profiles []struct {
			Code                              string
			Data, Extra, Parameters, Handlers []map[string]any
		}
	}
	Tables []struct {
		Kind    int
		Columns []string
		Rows    [][]any
	}
}

func TestDumpIsJSONWithEverythingThatTheHeaderCounts(t *testing.T) {
	for _, s := range specimen.All() {
		t.Run(s.Name, func(t *testing.T) {
			text := dumped(t, s.Build())
			var a archiveJSON
			if err := json.Unmarshal([]byte(text), &a); err != nil {
				t.Fatal(err)
			}
			var profiles, entries uint64
			for _, m := range a.Methods {
				profiles += uint64(len(m.Profiles))
				for _, p := range m.Profiles {
					entries += uint64(len(p.Data) + len(p.Extra) + len(p.Parameters) + len(p.Handlers))
				}
			}
			c := a.Header.Counts
			if uint64(len(a.Methods)) != c[0] || profiles != c[2] || uint64(len(a.Types)) != c[4] || entries != c[6] {
				t.Errorf("%d methods, %d profiles, %d types, %d entries; the header counts %v", len(a.Methods), profiles,
					len(a.Types), entries, c)
			}
			for _, table := range a.Tables {
				for _, row := range table.Rows {
					if len(row) != len(table.Columns) {
						t.Errorf("table %d: a row of %d cells, %d columns", table.Kind, len(row), len(table.Columns))
					}
				}
			}
		})
	}
}

// method builds an archive of one profile and gives its line of the dump.
func method(t *testing.T, d layout.Domain, name string, fill func(b *builder.Builder, p *builder.Profile)) string {
	t.Helper()
	var params layout.Params
	params.TypeProfileWidth, params.BciProfileWidth = 2, 1
	b := builder.New(d, builder.Config{Params: params})
	p := b.Profile(layout.Key{Name: name}, 0)
	fill(b, p)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	_, line, ok := strings.Cut(dumped(t, b), "\"methods\":[\n")
	line, _, _ = strings.Cut(line, "\n")
	if !ok {
		t.Fatal("no methods in the dump")
	}
	return line
}

func TestEntriesArePrintedAsDocumented(t *testing.T) {
	at := builder.At{Bci: 7}
	for want, fill := range map[string]func(b *builder.Builder, p *builder.Profile){
		`"data":[{"tag":"Branch","point":7,"taken":18446744073709551615,"displacement":-8,"not_taken":2}]`: func(b *builder.Builder, p *builder.Profile) {
			p.Branch(at, builder.Branch{Taken: ^uint64(0), Displacement: -8, NotTaken: 2})
		},
		`"data":[{"tag":"ReceiverType","point":7,"flags":1,"traps":9,"count":-3,"gap":[],"rows":[{"type":{"name":"A","loader":"app"},"count":4},{"type":null,"count":0}]}]`: func(b *builder.Builder, p *builder.Profile) {
			p.ReceiverType(builder.At{Bci: 7, Flags: 1, Traps: 9}, builder.Others{Count: ^uint64(2)},
				builder.Row{Type: b.Type(builder.TypeKey{Name: "A", Loader: "app"}), Count: 4})
		},
		`"data":[{"tag":"MultiBranch","point":7,"default":[1,16],"cases":[[2,-16],[3,0]]}]`: func(b *builder.Builder,
			p *builder.Profile) {
			p.MultiBranch(at, builder.SwitchCase{Count: 1, Displacement: 16},
				builder.SwitchCase{Count: 2, Displacement: -16},
				builder.SwitchCase{Count: 3})
		},
		`"data":[{"tag":"CallType","point":7,"count":5,"args":[{"slot":1,"type":{"type":{"name":"A"},"null_seen":true}}],"return":{"type":null,"unknown":true}}]`: func(b *builder.Builder, p *builder.Profile) {
			p.CallType(at, 5, builder.CallTypes{
				Args: []builder.Slot{{Stack: 1, Type: builder.TypeWord{Type: b.Type(builder.TypeKey{Name: "A"}),
					NullSeen: true}}},
				Return: &builder.TypeWord{Unknown: true},
			})
		},
		`"data":[{"tag":"Successors","point":-4,"sub":1,"rows":[[-2,3,4]]}]`: func(b *builder.Builder, p *builder.Profile) {
			p.Successors(-4, layout.SubConditional, builder.Successor{Point: -2, Index: 3, Count: 4})
		},
		`"data":[{"tag":"Bitmap","point":0,"bytes":"0aff"}]`: func(b *builder.Builder, p *builder.Profile) {
			testarchive.RecordAs(b, layout.DomainLLVMIR, func() { p.Bitmap(0, []byte{10, 255}) })
		},
		`"invocations":0,"compile":[1,2,3,4,5],"traps":[0,7],"data":[],"handlers":[{"tag":"Bit","point":7}]`: func(b *builder.Builder, p *builder.Profile) {
			p.Invocations(0)
			p.Internal().SetCompilation(profileset.Compilation{Level: 1, State: 2, WouldProfile: 3, Loops: 4, Blocks: 5})
			p.Internal().PutTraps([]byte{0, 7})
			p.Bit(builder.At{Bci: 7, In: disk.SectionHandlers})
		},
	} {
		prefix := `"name":"m","profiles":[{"code":"0000000000000000",`
		if got := method(t, layout.DomainHotSpot, "m", fill); !strings.HasSuffix(got, prefix+want+"}]}") {
			t.Errorf("printed %s\nwant the end %s%s}]}", got, prefix, want)
		}
	}
}

func TestTextKeepsItsBytes(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                    `"plain"`,
		"quote \" and \\":          `"quote \" and \\"`,
		"line\n\ttab\x1f\x7f":      `"line\u000a\u0009tab\u001f\u007f"`,
		"\u009b2J \u202egnp\ufeff": `"\u009b2J \u202egnp\ufeff"`,
		"\U000e0041\U000e0080":     "\"\\udb40\\udc41\U000e0080\"",
		"\u00e9\u20ac\U0001f600":   "\"\u00e9\u20ac\U0001f600\"",
		"\xff\xc0\x80":             `"\udcff\udcc0\udc80"`,
		"\xed\xa0\x80":             `"\udced\udca0\udc80"`,
		"\xf4\x90\x80\x80":         `"\udcf4\udc90\udc80\udc80"`,
		"cut \xe2\x82":             `"cut \udce2\udc82"`,
		"\ufffd":                   "\"\ufffd\"",
	} {
		got := method(t, layout.DomainJamaica, text, func(_ *builder.Builder, p *builder.Profile) { p.Invocations(1) })
		if !strings.Contains(got, `"name":`+want+`,"profiles"`) {
			t.Errorf("%q is printed in %s, want %s", text, got, want)
		}
	}
}

// Nothing that a terminal would obey, or a reader not see, is in a dump.
func TestHostileTextIsEscaped(t *testing.T) {
	for _, s := range specimen.Hostile() {
		text := dumped(t, s.Build())
		if !json.Valid([]byte(text)) || !utf8.ValidString(text) || !strings.Contains(text, specimen.Forged) {
			t.Errorf("%s: not the JSON of a hostile archive", s.Name)
		}
		if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && escape.Unsafe(r) }); at >= 0 {
			t.Errorf("%s: prints %q", s.Name, text[at:min(at+20, len(text))])
		}
	}
}

type fullDisk struct{}

var errDisk = errors.New("no space")

func (fullDisk) Write([]byte) (int, error) { return 0, errDisk }

func TestErrorsAreGiven(t *testing.T) {
	data, err := specimen.All()[0].Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if err := jsondump.WriteArchive(fullDisk{}, store(t, data)); !errors.Is(err, errDisk) {
		t.Errorf("a full disk gives %v", err)
	}
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []layout.Region{disk.RegionRO, disk.RegionEX, disk.RegionRW} {
		bad := bytes.Clone(data)
		bad[disk.RegionOf(h, r).Offset+8] ^= 1
		if err := jsondump.WriteArchive(io.Discard, store(t, bad)); !errors.Is(err, layout.ErrChecksum) {
			t.Errorf("a changed byte in %v gives %v", r, err)
		}
	}
}

// counted counts the calls of a writer that fails.
type counted struct{ calls int }

func (c *counted) Write([]byte) (int, error) { c.calls++; return 0, errDisk }

// A dump ends where it cannot be written: it does not go through the rest.
func TestDumpEndsWithItsWriter(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	m := b.Method(layout.Key{Class: "A", Name: "f"})
	context := profileset.NoContext
	for i := range 1000 {
		context = b.Internal().OuterContext(m, context, m, int32(i))
		p := b.ProfileIn(m, 0, context)
		p.Count(builder.Count{Point: 1, Sub: layout.SubCalls, N: 1})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	s := store(t, data)
	all := testing.AllocsPerRun(1, func() { _ = jsondump.WriteArchive(io.Discard, s) })
	failed := testing.AllocsPerRun(1, func() {
		if err := jsondump.WriteArchive(new(counted), s); !errors.Is(err, errDisk) {
			t.Error(err)
		}
	})
	if failed > all/10 {
		t.Errorf("%v allocations where nothing can be written, %v where all is", failed, all)
	}
}
