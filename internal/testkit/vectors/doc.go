// Package vectors has the vectors of testdata/v1: archives of version 1 with their JSON dumps, and changes of them
// that make them unsound, with the error that a reader has to give. testdata/v1/README.md describes the files, which
// readers in any language can use.
//
// The archives of version 1 stay for ever. A test holds them against a sum in its source.
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

// A Sound is an archive that every reader reads.
type Sound struct {
	File  string `json:"file"` // FILE.json is its JSON dump
	Bytes int64  `json:"bytes"`
	XXH64 string `json:"xxh64"` // of the file
	Has   string `json:"has"`
}

// A Broken is a sound archive with changes. Its sums are right, but where they are what is wrong.
type Broken struct {
	Of    string `json:"of"`
	Wrong string `json:"wrong"`
	Level string `json:"level"` // Reader or Verifier
	Error Error  `json:"error"`
	Size  int64  `json:"size,omitempty"` // of the file, if it is cut short
	Edits []Edit `json:"edits,omitempty"`
}

// The levels of conformance of docs/format.md.
const (
	Reader   = "reader"   // whoever prints the whole archive refuses it
	Verifier = "verifier" // a verifier refuses it, a reader may print it
)

// An Error is what is said of a broken archive.
type Error struct {
	Kind   string `json:"kind"` // format, unsupported, truncated, checksum, corrupt
	Region string `json:"region"`
	Offset int64  `json:"offset"` // of what is wrong; a reader may name the record or field around it
}

// An Edit replaces bytes at an offset.
type Edit struct {
	At    int64  `json:"at"`
	Bytes string `json:"bytes"` // in hexadecimal
}

// Read reads the index in a directory.
func Read(dir string) (*Index, error) {
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		return nil, err
	}
	index := &Index{}
	return index, json.Unmarshal(text, index)
}

// Apply returns the broken archive that is made of a sound one.
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
