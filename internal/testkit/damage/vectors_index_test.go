package damage

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A vectorIndex is testdata/v1/index.json.
type vectorIndex struct {
	Format int            `json:"format"`
	Sound  []soundVector  `json:"sound"`
	Broken []brokenVector `json:"broken"`
}

// A soundVector is an archive that readers must accept.
type soundVector struct {
	File  string `json:"file"` // FILE.json has the JSON dump
	Bytes int64  `json:"bytes"`
	XXH64 string `json:"xxh64"` // hash of the file
	Has   string `json:"has"`
}

// A brokenVector is a damaged variant of a sound archive. Its checksums are valid unless they are the defect.
type brokenVector struct {
	Of    string       `json:"of"`
	Wrong string       `json:"wrong"`
	Level string       `json:"level"` // forReaders or forVerifiers
	Error vectorError  `json:"error"`
	Size  int64        `json:"size,omitempty"` // size of a truncated file
	Edits []vectorEdit `json:"edits,omitempty"`
}

// Levels of conformance in docs/format.md.
const (
	forReaders   = "reader"   // programs that print whole archives must reject it
	forVerifiers = "verifier" // verifiers must reject it, readers can print it
)

// A vectorError is the required error for a broken archive.
type vectorError struct {
	Kind   string `json:"kind"` // format, unsupported, truncated, checksum, corrupt
	Region string `json:"region"`
	Offset int64  `json:"offset"` // offset of the defect; a reader can report the containing record or field
}

// A vectorEdit replaces bytes at an offset.
type vectorEdit struct {
	At    int64  `json:"at"`
	Bytes string `json:"bytes"` // new bytes in hexadecimal
}

// indexFiles are the names of the indexes: the vectors of the first release, and the vectors of tables that were added
// later.
var indexFiles = []string{"index.json", "later.json"}

// readIndexes reads the indexes of testdata/v1 as one.
func readIndexes() (*vectorIndex, error) {
	all := &vectorIndex{}
	for _, name := range indexFiles {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		index := &vectorIndex{}
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
func (b *brokenVector) Apply(sound []byte) ([]byte, error) {
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
