package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/bench/turns"
)

// sum compares sums of one and of many profiles, which are drawn from the samples of one.
func (b *bench) sum(recorded string) error {
	dir := filepath.Join(b.dir, "sum")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// Another process draws, since the peak of a child is at least that of its parent.
	if err := command(dir, self, "-draw", recorded, "-profiles", fmt.Sprint(b.profiles)); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pb.gz"))
	if err != nil {
		return err
	}
	fmt.Printf("\n| profiles | command | user time | peak memory | result |\n|---|---|---|---|---|\n")
	for _, n := range []int{1, len(files)} {
		if err := b.contest(dir, files[:n]); err != nil {
			return err
		}
	}
	return b.sameSum(dir)
}

// drawAll draws profiles into the working directory.
func drawAll(recorded string, n int) error {
	data, err := os.ReadFile(recorded)
	if err != nil {
		return err
	}
	for i := range n {
		if err := draw(data, fmt.Sprintf("%04d.pb.gz", i), uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

// draw writes a profile with half of the samples of another, each up to four times as often, as
// runs of a program under another load have them.
func draw(data []byte, name string, seed uint64) error {
	p, err := profile.ParseData(data)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 1))
	kept := p.Sample[:0]
	for _, s := range p.Sample {
		if r.IntN(2) == 0 {
			continue
		}
		times := int64(1 + r.IntN(4))
		for i := range s.Value {
			s.Value[i] *= times
		}
		kept = append(kept, s)
	}
	p.Sample, p.TimeNanos = kept, p.TimeNanos+int64(seed)
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := p.Compact().Write(f); err != nil {
		return err
	}
	return f.Close()
}

// contest sums profiles with both tools and prints what it took.
func (b *bench) contest(dir string, files []string) error {
	for _, c := range []struct {
		name, out string
		args      []string
	}{
		{"profarc import", "all.parc", []string{b.profarc, "import", "-o"}},
		{"profarc import --edges-only", "edges.parc", []string{b.profarc, "import", "--edges-only", "-o"}},
		{"go tool pprof -proto", "all.proto", []string{"go", "tool", "pprof", "-symbolize=none", "-proto", "-output"}},
	} {
		out := filepath.Join(dir, c.out)
		cost, err := turns.Child(c.args[0], slices.Concat(c.args[1:], []string{out}, files)...)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Printf("| %d | `%s` | %.2f s | %.0f MB | %s |\n", len(files), c.name, cost.User.Seconds(), float64(cost.Peak)/1e6, size(out))
	}
	return nil
}

// sameSum reports whether the compiler reads the same of both sums.
func (b *bench) sameSum(dir string) error {
	var edges []string
	for _, file := range []string{"all.parc", "edges.parc"} {
		if err := command(dir, b.profarc, "export", "-t", "gopgo", file, "-o", file+".pgo"); err != nil {
			return err
		}
	}
	for _, file := range []string{"all.proto", "all.parc.pgo", "edges.parc.pgo"} {
		if err := command(dir, "go", "tool", "preprofile", "-i", file, "-o", "edges.txt"); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, "edges.txt"))
		if err != nil {
			return err
		}
		edges = append(edges, string(text))
	}
	fmt.Printf("\n%d edges; preprofile of the sums: %s, %s; as files %s, %s\n", strings.Count(edges[0], "\n")/3,
		same([]byte(edges[0]), []byte(edges[1])), same([]byte(edges[0]), []byte(edges[2])), size(filepath.Join(dir, "all.parc.pgo")), size(filepath.Join(dir, "all.proto")))
	return nil
}
