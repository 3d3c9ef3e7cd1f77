// Package testarchive builds, merges and randomly generates archives in memory for tests.
package testarchive

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"text/template"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// TB is implemented by *testing.T, *testing.B and *rapid.T.
type TB interface {
	rapid.TB
	Context() context.Context
}

// An Archive is an open archive with its bytes.
type Archive struct {
	*reader.Store
	Bytes []byte
}

// Invocations returns the total of all invocation counters.
func (a Archive) Invocations() uint64 { return a.Header().Summary.TotalInvocations }

// Build returns the archive of a builder.
func Build(t TB, b *builder.Builder) Archive {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return Archive{Open(t, data), data}
}

// Open opens the archive data.
func Open(t TB, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("test.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// Domains lists all domains.
var Domains = []layout.Domain{layout.DomainHotSpot, layout.DomainLLVMIR, layout.DomainLLVMFrontend, layout.DomainGraal,
	layout.DomainJamaica, layout.DomainCustom, layout.DomainSampled}

// Params returns settings for entries of all kinds of a domain.
func Params(domain layout.Domain) layout.Params {
	if domain != layout.DomainHotSpot {
		return layout.Params{}
	}
	return layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 1}
}

// New returns an empty builder with the settings of Params.
func New(domain layout.Domain) *builder.Builder { return builder.New(domain, Config(domain)) }

// Config returns a configuration for entries of all kinds of a domain.
func Config(domain layout.Domain) builder.Config {
	c := builder.Config{Params: Params(domain)}
	if domain == layout.DomainCustom {
		c.ProducerID = [16]byte{1, 2, 3}
	}
	return c
}

// MustDone calls Done for all profiles.
func MustDone(t TB, profiles ...*builder.Profile) {
	t.Helper()
	for _, p := range profiles {
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
}

// RecordAs calls record while b accepts the entries of domain d. It makes archives that no builder writes.
func RecordAs(b *builder.Builder, d layout.Domain, record func()) {
	set := b.Internal()
	was := set.Domain
	set.Domain = d
	defer func() { set.Domain = was }()
	record()
}

// EachSpecimen calls check for each specimen in a parallel subtest.
func EachSpecimen(t *testing.T, check func(t *testing.T, s Archive)) {
	t.Helper()
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			check(t, Build(t, sp.Build()))
		})
	}
}

// Merge merges archives.
func Merge(t TB, archives ...Archive) Archive {
	t.Helper()
	h := archives[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	for _, s := range archives {
		if err := merge.Into(t.Context(), b, s.Store, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	return Build(t, b)
}

// CheckEqual reports an error unless got equals want.
func CheckEqual[V comparable](t rapid.TB, what string, got, want V) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// DrawRun draws a random training run. Runs share methods, codes, contexts, points and types, but differ in their data.
func DrawRun(t *rapid.T, domain layout.Domain, name string) Archive {
	return drawRandomRun(t, domain, name, false)
}

// DrawHighRun is like DrawRun, but some counts are so high that additions saturate.
func DrawHighRun(t *rapid.T, domain layout.Domain, name string) Archive {
	return drawRandomRun(t, domain, name, true)
}

// randomText is a template for the text of an archive without tables.
//
//go:embed testdata/random.txt
var randomText string

func drawRandomRun(t *rapid.T, domain layout.Domain, name string, high bool) Archive {
	t.Helper()
	seed := rapid.Uint64().Draw(t, name)
	r := &random{rand.New(rand.NewPCG(seed, 2)), domain, high}
	var written strings.Builder
	err := template.Must(template.New("random.txt").Funcs(r.functions()).Parse(randomText)).Execute(&written,
		map[string]any{"Domain": domain.String(), "Methods": r.methods(),
			"ID": fmt.Sprintf("%016x00%02x%012d", seed, name[0], 0)})
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder // a blank line would end a method
	for line := range strings.Lines(written.String()) {
		if strings.TrimSpace(line) != "" {
			lines.WriteString(line)
		}
	}
	report, err := new(text.Importer).Import(&codec.Input{Reader: strings.NewReader(lines.String()), Name: name})
	if err != nil {
		t.Fatalf("%v\n%s", err, &lines)
	}
	b := report.Dumps[0]
	addRandomTables(b, r)
	return Build(t, b)
}

type random struct {
	*rand.Rand
	domain layout.Domain
	high   bool // draw counts for which additions saturate
}

// functions returns the functions of the template.
func (r *random) functions() template.FuncMap {
	return template.FuncMap{
		"n":    r.IntN,
		"some": func() bool { return r.IntN(2) == 0 },
		"pick": func(choices ...any) any { return choices[r.IntN(len(choices))] },
		"perm": r.Perm,
		"flags": func(words ...any) string {
			return "[" + strings.Join(strings.Fields(fmt.Sprintln(words...)), " ") + "]"
		},
		"count":  r.drawCount,
		"entry":  r.drawKind,
		"method": func(n int) string { return r.methods()[r.IntN(n)] },
	}
}

// drawCount returns a mostly small count. If r.high is set, some counts are near the maximum.
func (r *random) drawCount() uint64 {
	if r.high && r.IntN(8) == 0 {
		return 1<<64 - 1 - r.Uint64N(4)
	}
	return r.Uint64N(100)
}

// drawKind returns the name of a kind of entries.
func (r *random) drawKind() any {
	if r.domain == layout.DomainCustom && r.IntN(2) == 0 {
		return []string{"Once", "Keyed", "Places"}[r.IntN(3)]
	}
	held := disk.HeldTags(r.domain)
	return held[r.IntN(len(held))].String()
}

// randomMethods are the methods of random archives. In LLVM's domains they have only their names.
var randomMethods = []layout.Key{{Class: "A", Name: "m0"}, {Class: "A", Name: "m1", Signature: "()V"},
	{Class: "B", Name: "m2", Signature: "(LA;)LB;", Loader: "app"}, {Class: "java/lang/String", Name: "m3"}}

// methods returns randomMethods as text.
func (r *random) methods() (all []string) {
	for _, k := range randomMethods {
		switch {
		case r.domain.LLVM():
			all = append(all, k.Name)
		case k.Loader != "":
			all = append(all, fmt.Sprintf("%s::%s%s{%s}", k.Class, k.Name, k.Signature, k.Loader))
		default:
			all = append(all, k.Class+"::"+k.Name+k.Signature)
		}
	}
	return all
}

func addRandomTables(b *builder.Builder, r *random) {
	table := func(kind disk.TableKind) *profileset.Table { return b.Internal().Table(kind, 0) }
	symbol := func(name string, number int) uint64 { return uint64(b.Internal().Symbol(fmt.Sprint(name, number))) }
	method := func(number int) builder.MethodRef {
		if r.domain.LLVM() {
			return b.Method(layout.Key{Name: randomMethods[number].Name})
		}
		return b.Method(randomMethods[number])
	}
	for range r.IntN(4) {
		table(disk.TableMonitors).Row(uint64(b.Type(builder.TypeKey{Name: fmt.Sprint("T", r.IntN(3))})), r.drawCount())
		table(disk.TableBinaryIDs).Row(symbol("id", r.IntN(4)))
		table(disk.TableThreads).Row(r.Uint64N(2), r.drawCount(), r.Uint64N(2), 0, 0, 0, 0, 0)
	}
	for range r.IntN(6) {
		m := method(r.IntN(3))
		table(disk.TableCompilations).Row(uint64(m), 3+r.Uint64N(2), ^uint64(0), 1+r.Uint64N(2), r.Uint64N(99),
			r.Uint64N(99), r.drawCount(), r.drawCount())
		table(disk.TableMoved).Row(uint64(m), r.Uint64N(2), r.Uint64N(9), r.Uint64N(2), r.drawCount())
		inlined := b.Context(m, builder.Frame{Caller: method(1), Point: int32(r.IntN(2))})
		table(disk.TableInlining).Row(uint64(inlined), 4, r.drawCount())
	}
	for group := range uint64(r.IntN(3)) {
		for frame := range uint64(1 + r.IntN(3)) {
			table(disk.TableTraces).Row(group, 1, frame)
			table(disk.TableSamples).Row(group, uint64(method(1)), frame, 5+group)
		}
	}
	properties := table(disk.TableProperties)
	properties.Row(uint64(b.Internal().Symbol(disk.PropertyTraceStream)), symbol("", r.IntN(3)))
	properties.Row(uint64(b.Internal().Symbol("host")), symbol("", r.IntN(2)))
}
