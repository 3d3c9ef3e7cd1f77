package bench

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/cli/paired"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// archiveDir returns the directory for synthetic archives. One that the user names is kept between runs.
func archiveDir(tb testing.TB) string {
	if d := os.Getenv("PROFARC_BENCH_DIR"); d != "" {
		return d
	}
	return tb.TempDir()
}

// scales returns all scales if the user names a directory, which must have room
// for ten gigabytes, else the small one.
func scales() []Scale {
	if os.Getenv("PROFARC_BENCH_DIR") == "" {
		return []Scale{Small}
	}
	return []Scale{Small, Large, Huge}
}

// BenchmarkOpenToFirstLookup measures what a start costs: open the archive, find one method by its key, get
// its profile, read its invocation counter. All sizes take turns, each time with another method. It reports
// the medians, and their ratio to the smallest size. The garbage collector unmaps the archives outside the
// measured time.
func BenchmarkOpenToFirstLookup(b *testing.B) {
	var paths []string
	for _, s := range scales() {
		path, err := Archive(archiveDir(b), s)
		if err != nil {
			b.Fatal(err)
		}
		paths = append(paths, path)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	times := make([][]float64, len(paths))
	for n := 0; b.Loop(); n++ {
		for i, s := range scales() {
			times[i] = append(times[i], firstAnswer(b, paths[i], n*7919%s.Methods))
		}
		if n%100 == 99 {
			runtime.GC()
		}
	}
	first := paired.Median(times[0])
	for i, s := range scales() {
		b.ReportMetric(paired.Median(times[i])/1e3, s.Name+"-µs")
		b.ReportMetric(paired.Median(times[i])/first, s.Name+"/"+Small.Name)
	}
}

// firstAnswer returns the nanoseconds from nothing to one invocation counter.
func firstAnswer(b *testing.B, path string, method int) float64 {
	key := Key(method)
	start := time.Now()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := s.Find(key)
	if err != nil {
		b.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		b.Fatal(err)
	}
	c, ok := p.Invocations()
	took := time.Since(start)
	if !ok || c.Load() != uint64(method) {
		b.Fatalf("method %d has %d invocations", method, c.Load())
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return float64(took.Nanoseconds())
}

// A plainProfile is what a program without archives would decode a profile into.
type plainProfile struct {
	Class, Name, Signature string
	Invocations, Backedges uint64
	Points                 []plainPoint
}

type plainPoint struct {
	Bci             uint16
	Taken, NotTaken uint64
	Receiver        string
	Count           uint64
}

func plainProfiles(s Scale) []plainProfile {
	profiles := make([]plainProfile, s.Methods)
	for i := range profiles {
		k := Key(i)
		p := plainProfile{Class: k.Class, Name: k.Name, Signature: k.Signature, Invocations: uint64(i),
			Backedges: uint64(i) / 3}
		for n := 0; n < s.Block; n += 96 {
			p.Points = append(p.Points, plainPoint{uint16(n / 96 * 7), uint64(n + i), uint64(n+i) / 2, "org/synthetic/Receiver",
				uint64(n + i)})
		}
		profiles[i] = p
	}
	return profiles
}

// BenchmarkDecodeToFirstLookup measures the same start with the profiles in gob
// and in JSON: decode all, put them into a map, find one.
func BenchmarkDecodeToFirstLookup(b *testing.B) {
	profiles := plainProfiles(Small)
	var asGob bytes.Buffer
	if err := gob.NewEncoder(&asGob).Encode(profiles); err != nil {
		b.Fatal(err)
	}
	asJSON, err := json.Marshal(profiles)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("gob/"+Small.Name, func(b *testing.B) {
		for b.Loop() {
			var got []plainProfile
			if err := gob.NewDecoder(bytes.NewReader(asGob.Bytes())).Decode(&got); err != nil {
				b.Fatal(err)
			}
			findInMap(b, got)
		}
	})
	b.Run("json/"+Small.Name, func(b *testing.B) {
		for b.Loop() {
			var got []plainProfile
			if err := json.Unmarshal(asJSON, &got); err != nil {
				b.Fatal(err)
			}
			findInMap(b, got)
		}
	})
}

// findInMap puts the profiles into a map and finds one of them.
func findInMap(b *testing.B, profiles []plainProfile) {
	byKey := make(map[string]*plainProfile, len(profiles))
	for i := range profiles {
		p := &profiles[i]
		byKey[p.Class+"."+p.Name+p.Signature] = p
	}
	if k := Key(7); byKey[k.Class+"."+k.Name+k.Signature].Invocations != 7 {
		b.Fatal("not found")
	}
}

// BenchmarkAdopt measures adoption. At the requested base nothing is relocated;
// elsewhere each profile is relocated when it is claimed, or all at once.
func BenchmarkAdopt(b *testing.B) {
	path, err := Archive(archiveDir(b), Small)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("requested", func(b *testing.B) { openAndAdopt(b, path, reader.AdoptOptions{}) })
	b.Run("anywhere/lazy", func(b *testing.B) { openAndAdopt(b, path, reader.AdoptOptions{Anywhere: true}) })
	b.Run("anywhere/eager", func(b *testing.B) {
		openAndAdopt(b, path, reader.AdoptOptions{Anywhere: true, Eager: true})
	})
}

// openAndAdopt opens an archive, adopts it, claims one profile and counts in it.
func openAndAdopt(b *testing.B, path string, o reader.AdoptOptions) {
	for n := 0; b.Loop(); n++ {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Adopt(o); err != nil {
			b.Fatal(err)
		}
		claimAndCount(b, s, n%Small.Methods)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// claimAndCount finds a method, claims its profile and counts an invocation.
func claimAndCount(b *testing.B, s *reader.Store, method int) {
	m, err := s.Find(Key(method))
	if err != nil {
		b.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		b.Fatal(err)
	}
	if p, err = p.Claim(); err != nil {
		b.Fatal(err)
	}
	c, _ := p.Invocations()
	if err := c.Add(1); err != nil || c.Load() != c.Trained()+1 {
		b.Fatal("not counted", err)
	}
}

// BenchmarkClaimAll claims every profile elsewhere than at the requested base,
// which relocates each: the cost of a start that uses all profiles.
func BenchmarkClaimAll(b *testing.B) {
	path, err := Archive(archiveDir(b), Small)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Adopt(reader.AdoptOptions{Anywhere: true}); err != nil {
			b.Fatal(err)
		}
		for i := range Small.Methods {
			claimAndCount(b, s, i)
		}
		a, _ := s.Adoption()
		b.ReportMetric(float64(a.Relocated), "pointers/op")
		s.Close()
	}
}
