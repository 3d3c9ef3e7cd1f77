package damage

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/testkit/specimen"
)

var update = flag.Bool("update", false, "write testdata/v1 and the judgements anew")

const dir = root + "/testdata/v1"

// frozen is the XXH64 of the index of version 1, which has the sums of all archives. It never changes: a change of it
// would be a change of archives that others have.
const frozen = "90e6c30e3f62a1e8"

func TestVectorsStay(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%016x", xxhash.Sum64(text)); sum != frozen {
		t.Errorf("index.json has the sum %s, and never had another than %s", sum, frozen)
	}
}

// TestVectorsAreMadeByTheBuilder compares the files with what the builder writes today.
func TestVectorsAreMadeByTheBuilder(t *testing.T) {
	for i, all := range [][]specimen.Specimen{firstVectors(), specimen.Later()} {
		checkVectors(t, indexFiles[i], all)
	}
}

// checkVectors compares the files of an index.
func checkVectors(t *testing.T, name string, all []specimen.Specimen) {
	t.Helper()
	index, files, err := makeVectors(all)
	if err != nil {
		t.Fatal(err)
	}
	if files[name], err = json.MarshalIndent(index, "", " "); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if *update {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, data) {
			t.Errorf("%s is not what go test -update makes: %v", path, err)
		}
	}
	t.Logf("%d sound archives, %d broken ones", len(index.Sound), len(index.Broken))
}

// TestErrorsOfBrokenArchives holds the reader and the verifier against the index.
func TestErrorsOfBrokenArchives(t *testing.T) {
	index, err := readIndexes()
	if err != nil || len(index.Sound) < 9 || len(index.Broken) < 200 {
		t.Fatalf("%d sound archives, %d broken ones: %v", len(index.Sound), len(index.Broken), err)
	}
	for _, b := range index.Broken {
		sound, err := os.ReadFile(filepath.Join(dir, b.Of))
		if err != nil {
			t.Fatal(err)
		}
		data, err := b.Apply(sound)
		if err != nil {
			t.Fatal(err)
		}
		if level, e := judge(data); e == nil || level != b.Level || *e != b.Error {
			t.Errorf("%s, %s: %s %+v, the index says %s %+v", b.Of, b.Wrong, level, e, b.Level, b.Error)
		}
	}
}

// TestLookupsAreAnswered compares testdata/v1/lookups.txt with the answers of the Go reader. It comes after the test
// that writes the vectors.
func TestLookupsAreAnswered(t *testing.T) {
	index, err := readIndexes()
	if err != nil {
		t.Fatal(err)
	}
	w := &lookupWriter{}
	for _, s := range index.Sound {
		if s.File == crowded {
			continue
		}
		if err := w.writeSound(s.File); err != nil {
			t.Fatalf("%s: %v", s.File, err)
		}
	}
	for i := range index.Broken {
		if index.Broken[i].Of == crowded {
			continue
		}
		if err := w.writeBroken(&index.Broken[i]); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "lookups.txt")
	if *update {
		if err := os.WriteFile(path, w.out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, w.out.Bytes()) {
		t.Errorf("%s differs from the output of go test -update: %v", path, err)
	}
	for _, answer := range []string{"absent", "ambiguous", "refused checksum", "profile", "method", "handlers"} {
		if !bytes.Contains(w.out.Bytes(), []byte("\n  "+answer)) {
			t.Errorf("no answer is %q", answer)
		}
	}
	t.Logf("%d questions, %d of them about broken archives", w.questions, w.refused)
}
