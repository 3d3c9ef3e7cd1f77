package bench

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/reader"
)

// dir is where synthetic archives are kept between runs.
func dir(tb testing.TB) string {
	if d := os.Getenv("PROFARC_BENCH_DIR"); d != "" {
		return d
	}
	return tb.TempDir()
}

// scales are the small one, and all of them where a folder is given that can
// hold ten gigabytes.
func scales() []Scale {
	if os.Getenv("PROFARC_BENCH_DIR") == "" {
		return []Scale{Small}
	}
	return []Scale{Small, Large, Huge}
}

// BenchmarkOpenToFirstLookup is what a start pays: open the archive, find one
// method by its key, fetch its profile, read its invocation counter. All sizes
// take turns, each time with another method; the medians are reported, and how
// far the largest is above the smallest. Letting go of a mapping is the garbage
// collector's work and is not timed.
func BenchmarkOpenToFirstLookup(b *testing.B) {
	var paths []string
	for _, s := range scales() {
		path, err := Archive(dir(b), s)
		if err != nil {
			b.Fatal(err)
		}
		paths = append(paths, path)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	times := make([][]time.Duration, len(paths))
	for n := 0; b.Loop(); n++ {
		for i, s := range scales() {
			times[i] = append(times[i], firstAnswer(b, paths[i], n*7919%s.Methods))
		}
		if n%100 == 99 {
			runtime.GC()
		}
	}
	first := median(times[0])
	for i, s := range scales() {
		b.ReportMetric(float64(median(times[i]).Nanoseconds())/1e3, s.Name+"-µs")
		b.ReportMetric(float64(median(times[i]))/float64(first), s.Name+"/"+Small.Name)
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func firstAnswer(b *testing.B, path string, method int) time.Duration {
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
	p, _, err := m.Profile(reader.AnyCode)
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
	return took
}

// A plainProfile is what one would decode into without an archive.
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
		p := plainProfile{Class: k.Class, Name: k.Name, Signature: k.Signature, Invocations: uint64(i), Backedges: uint64(i) / 3}
		for n := 0; n < s.Block; n += 96 {
			p.Points = append(p.Points, plainPoint{uint16(n / 96 * 7), uint64(n + i), uint64(n+i) / 2, "org/synthetic/Receiver", uint64(n + i)})
		}
		profiles[i] = p
	}
	return profiles
}

// BenchmarkDecodeToFirstLookup is the same start with the profiles in gob and
// in JSON: decode all, put them into a map, find one.
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
			index(b, got)
		}
	})
	b.Run("json/"+Small.Name, func(b *testing.B) {
		for b.Loop() {
			var got []plainProfile
			if err := json.Unmarshal(asJSON, &got); err != nil {
				b.Fatal(err)
			}
			index(b, got)
		}
	})
}

func index(b *testing.B, profiles []plainProfile) {
	byKey := make(map[string]*plainProfile, len(profiles))
	for i := range profiles {
		p := &profiles[i]
		byKey[p.Class+"."+p.Name+p.Signature] = p
	}
	if k := Key(7); byKey[k.Class+"."+k.Name+k.Signature].Invocations != 7 {
		b.Fatal("not found")
	}
}
