package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/disk"
)

// Keys are what is looked up, in its order.
type keys struct {
	names  []string
	hashes []uint64 // of the functions
	ids    []uint64 // of the names
}

// keyFiles writes the names and hashes of all n functions, and of as many that
// the program does not have, each shuffled, for both contenders to read.
func (b *bench) keyFiles(n int) (hits, misses string, err error) {
	hits = filepath.Join(b.dir, fmt.Sprintf("hits-%d.txt", n))
	misses = filepath.Join(b.dir, fmt.Sprintf("misses-%d.txt", n))
	if err := writeKeys(hits, 0, n); err != nil {
		return "", "", err
	}
	return hits, misses, writeKeys(misses, n, n)
}

func writeKeys(path string, from, n int) error {
	return writeFile(path, func(w io.Writer) error {
		var f function
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
			f.read(from+i, 0)
			if _, err := fmt.Fprintf(w, "%s %d\n", f.name, f.hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// readKeys reads what writeKeys wrote. All names lie in one text, as the peer
// has them.
func readKeys(path string) (k keys, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return keys{}, err
	}
	for line := range strings.Lines(string(text)) {
		name, number, _ := strings.Cut(line, " ")
		var hash uint64
		if _, err := fmt.Sscan(number, &hash); err != nil {
			return keys{}, fmt.Errorf("%s: %w", path, err)
		}
		k.names = append(k.names, name)
		k.hashes = append(k.hashes, hash)
		k.ids = append(k.ids, disk.NameRef(name))
	}
	return k, nil
}
