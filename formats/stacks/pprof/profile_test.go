package pprof_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// importAll imports profiles as one archive.
func importAll(t *testing.T, files ...[]byte) (*reader.Store, *formats.Imported) {
	t.Helper()
	var inputs []formats.Input
	for i, data := range files {
		inputs = append(inputs, formats.Input{Name: fmt.Sprintf("%d.pb.gz", i), Reader: bytes.NewReader(data)})
	}
	in, err := formats.Import(t.Context(), inputs, formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := in.Builder.Open("test.parc")
	if err != nil {
		t.Fatal(err)
	}
	return s, in
}

// exported returns what an exporter writes.
func exported(t *testing.T, s *reader.Store, e codec.Exporter) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := formats.Export(t.Context(), &out, s, e); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// written returns a profile as a file.
func written(t *testing.T, p *profile.Profile) []byte {
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

// compilerProfile is a CPU profile of Go's compiler at work on a package.
var compilerProfile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "gopgo")
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

func realProfile(t *testing.T) []byte {
	t.Helper()
	data, err := compilerProfile()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// randomProfile makes a profile of few functions, so that stacks recur, with recursion,
// inlined calls, frames that share addresses, and frames without functions.
func randomProfile(seed uint64) *profile.Profile {
	r := rand.New(rand.NewPCG(seed, 7))
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10, DurationNanos: 1000, TimeNanos: 1_700_000_000_000_000_000 + int64(seed)}
	if r.IntN(4) == 0 {
		p.SampleType[0], p.SampleType[1] = p.SampleType[1], p.SampleType[0]
	}
	for i := range 6 {
		name := fmt.Sprintf("example.com/p.f%d", i/2*2) // two functions of each name
		p.Function = append(p.Function, &profile.Function{ID: uint64(i + 1), Name: name, SystemName: name, Filename: fmt.Sprintf("f%d.go", i%2), StartLine: int64(i * 10)})
	}
	for i := range 12 {
		l := &profile.Location{ID: uint64(i + 1), Address: uint64(r.IntN(4))}
		for range r.IntN(4) {
			l.Line = append(l.Line, profile.Line{Function: p.Function[r.IntN(len(p.Function))], Line: int64(r.IntN(70))})
		}
		p.Location = append(p.Location, l)
	}
	for range 1 + r.IntN(30) {
		s := &profile.Sample{Value: []int64{int64(r.IntN(5)), int64(10 * r.IntN(5))}}
		for range 1 + r.IntN(5) {
			s.Location = append(s.Location, p.Location[r.IntN(len(p.Location))])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}
