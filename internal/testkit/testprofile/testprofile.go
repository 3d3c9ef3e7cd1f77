// Package testprofile imports and exports profiles for tests. It creates random pprof CPU profiles and one of Go's
// compiler.
package testprofile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/reader"
)

// Import merges files into one archive and opens it as test.parc.
func Import(t testing.TB, files ...[]byte) (*reader.Store, *formats.Imported) {
	t.Helper()
	var inputs []formats.Input
	for i, data := range files {
		inputs = append(inputs, formats.Input{Name: fmt.Sprint("file ", i), Reader: bytes.NewReader(data)})
	}
	in, err := formats.Import(t.Context(), inputs, formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, in.Builder), in
}

// Export returns the output of e for an archive, and the losses.
func Export(t testing.TB, s *reader.Store, e codec.Exporter) ([]byte, codec.Losses) {
	t.Helper()
	var out bytes.Buffer
	lost, err := formats.Export(t.Context(), &out, s, e)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), lost
}

// Encode encodes a profile, which must be valid.
func Encode(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// OfCompiler returns an encoded CPU profile of Go's compiler. A test binary records it only once.
func OfCompiler(t testing.TB) []byte {
	t.Helper()
	data, err := recordCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var recordCompiler = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "compiler")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cpu.pb.gz")
	cmd := exec.Command("go", "build", "-gcflags=-cpuprofile="+path, "go/types")
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return os.ReadFile(path)
})

// Random returns a profile with few functions and addresses. It has recurring stacks, recursive and inlined calls,
// functions with the same name, locations with the same address, and frames without a function. At least one sample is
// a call from a known line of a function. If seed%8 is 7, the CPU time precedes the number of samples.
func Random(seed uint64) *profile.Profile {
	r := rand.New(rand.NewPCG(seed, 9))
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 100, DurationNanos: 1000,
		TimeNanos: 1_700_000_000_000_000_000 + int64(seed),
	}
	if seed%8 == 7 {
		slices.Reverse(p.SampleType)
	}
	for i, name := range []string{"a.f", "a.g", "b.(*T).m", "a.f", "", "a.g"} {
		p.Function = append(p.Function, &profile.Function{ID: uint64(i + 1), Name: name, SystemName: name,
			Filename: fmt.Sprintf("f%d.go", i%2), StartLine: int64(7 * i)})
	}
	for i := range 12 {
		l := &profile.Location{ID: uint64(100 - i), Address: uint64(r.IntN(4))}
		for range r.IntN(4) {
			l.Line = append(l.Line, profile.Line{Function: p.Function[r.IntN(len(p.Function))], Line: int64(r.IntN(70))})
		}
		p.Location = append(p.Location, l)
	}
	for range 1 + r.IntN(40) {
		s := &profile.Sample{Value: []int64{int64(r.IntN(9)), int64(100 * r.IntN(9))}}
		for range 1 + r.IntN(5) {
			s.Location = append(s.Location, p.Location[r.IntN(len(p.Location))])
		}
		p.Sample = append(p.Sample, s)
	}
	p.Location = append(p.Location, &profile.Location{ID: 1, Address: 77,
		Line: []profile.Line{{Function: p.Function[2], Line: 20}, {Function: p.Function[1], Line: 9}}})
	p.Sample = append(p.Sample, &profile.Sample{Value: []int64{3, 300}, Location: p.Location[len(p.Location)-1:]})
	return p
}
