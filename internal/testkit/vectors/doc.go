// Package vectors reads the test vectors in testdata/v1. These are archives of version 1 with their JSON dumps, and
// damaged variants with the required error. testdata/v1/README.md describes the files for readers in other languages.
//
// The archives of version 1 never change. A test compares them with a checksum in its source.
package vectors

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// An Index is testdata/v1/index.json.
type Index struct {
	Format int      `json:"format"`
	Sound  []Sound  `json:"sound"`
	Broken []Broken `json:"broken"`
}

// A Sound is an archive that readers must accept.
type Sound struct {
	File  string `json:"file"` // FILE.json has the JSON dump
	Bytes int64  `json:"bytes"`
	XXH64 string `json:"xxh64"` // hash of the file
	Has   string `json:"has"`
}

// A Broken is a damaged variant of a sound archive. Its checksums are valid unless they are the defect.
type Broken struct {
	Of    string `json:"of"`
	Wrong string `json:"wrong"`
	Level string `json:"level"` // Reader or Verifier
	Error Error  `json:"error"`
	Size  int64  `json:"size,omitempty"` // size of a truncated file
	Edits []Edit `json:"edits,omitempty"`
}

// Levels of conformance in docs/format.md.
const (
	Reader   = "reader"   // programs that print whole archives must reject it
	Verifier = "verifier" // verifiers must reject it, readers can print it
)

// An Error is the required error for a broken archive.
type Error struct {
	Kind   string `json:"kind"` // format, unsupported, truncated, checksum, corrupt
	Region string `json:"region"`
	Offset int64  `json:"offset"` // offset of the defect; a reader can report the containing record or field
}

// An Edit replaces bytes at an offset.
type Edit struct {
	At    int64  `json:"at"`
	Bytes string `json:"bytes"` // new bytes in hexadecimal
}

// Indexes are the indexes in a directory: the vectors of the first release, and the vectors of tables that were added
// later.
var Indexes = []string{"index.json", "later.json"}

// Read reads the indexes in a directory as one.
func Read(dir string) (*Index, error) {
	all := &Index{}
	for _, name := range Indexes {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		index := &Index{}
		if err := json.Unmarshal(text, index); err != nil {
			return nil, err
		}
		all.Format = index.Format
		all.Sound = append(all.Sound, index.Sound...)
		all.Broken = append(all.Broken, index.Broken...)
	}
	return all, nil
}

// Apply returns the broken variant of a sound archive.
func (b *Broken) Apply(sound []byte) ([]byte, error) {
	data := slices.Clone(sound)
	if b.Size > 0 {
		data = data[:b.Size]
	}
	for _, e := range b.Edits {
		bytes, err := hex.DecodeString(e.Bytes)
		if err != nil || e.At < 0 || e.At+int64(len(bytes)) > int64(len(data)) {
			return nil, fmt.Errorf("%s: %s: an edit at %d of %d bytes: %w", b.Of, b.Wrong, e.At, len(data), err)
		}
		copy(data[e.At:], bytes)
	}
	return data, nil
}
