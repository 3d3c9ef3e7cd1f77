package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// recorded is a profile that lies beside the project on some machines.
const recorded = "../shared/samples/iprof/some-compiler-0.4.0.iprof.gz"

// A bench is what the flags say.
type bench struct {
	megabytes int
	rounds    int
	dir       string
}

func main() {
	var b bench
	flag.IntVar(&b.megabytes, "mb", 100, "size of the large synthetic profile in megabytes")
	flag.IntVar(&b.rounds, "rounds", 5, "turns of each contender, whose median is printed")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (b *bench) run() (err error) {
	if b.dir, err = os.MkdirTemp("", "profarc-bench-iprof"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	fmt.Printf("%s, %d processors, medians of %d\n\n", runtime.Version(), runtime.NumCPU(), b.rounds)
	fmt.Println("| | archive | JSON | ratio |")
	fmt.Println("|---|---|---|---|")
	if path, err := b.unpack(recorded); err == nil {
		if err := b.measure("recorded, 4 MB", path); err != nil {
			return err
		}
	} else if !os.IsNotExist(err) {
		return err
	}
	for _, megabytes := range []int{4, b.megabytes} {
		path := filepath.Join(b.dir, fmt.Sprintf("synthetic-%d.iprof", megabytes))
		if err := writeSynthetic(path, megabytes); err != nil {
			return err
		}
		if err := b.measure(fmt.Sprintf("synthetic, %d MB", megabytes), path); err != nil {
			return err
		}
	}
	return nil
}

// unpack puts the JSON of a compressed profile into the folder.
func (b *bench) unpack(packed string) (path string, err error) {
	f, err := os.Open(packed)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return "", err
	}
	path = filepath.Join(b.dir, "recorded.iprof")
	return path, os.WriteFile(path, text, 0o666)
}
