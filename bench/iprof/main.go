// Command iprof compares archives of GraalVM's profiles with the JSON that they
// come from, in one run, and prints the tables of bench/README.md:
//
//	go run ./bench/iprof -mb 100
//
// The JSON is a recorded profile of 4 MB, if the samples are next to the project,
// and synthetic ones of 4 MB and of -mb, with the same proportions of types,
// methods and calling contexts. encoding/json decodes them into plain structs.
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

// recorded is the path of a profile that is next to the project on some machines.
const recorded = "../shared/samples/iprof/some-compiler-0.4.0.iprof.gz"

// A bench holds the flags.
type bench struct {
	megabytes int
	rounds    int
	dir       string
}

func main() {
	var b bench
	flag.IntVar(&b.megabytes, "mb", 100, "size of the large synthetic profile in megabytes")
	flag.IntVar(&b.rounds, "rounds", 5, "turns of each contender; the medians are printed")
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

// unpack writes the JSON of a compressed profile to the directory.
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
