package iprof

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const samplesFolder = "../../../../shared/samples/iprof"

// sample returns a file of others, unpacked; the test is skipped without it.
func sample(tb testing.TB, name string) []byte {
	tb.Helper()
	data, ok := sampleIfAny(tb, name)
	if !ok {
		tb.Skip("no recorded samples next to the project")
	}
	return data
}

func sampleIfAny(tb testing.TB, name string) (data []byte, ok bool) {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(samplesFolder, name))
	if os.IsNotExist(err) {
		return nil, false
	}
	if err == nil && strings.HasSuffix(name, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return data, true
}

// A plainFile is the file in plain structs.
type plainFile struct {
	Version            string
	Types              []plainRow
	Methods            []plainRow
	CallCounts         []plainRecord `json:"callCountProfiles"`
	Conditionals       []plainRecord `json:"conditionalProfiles"`
	VirtualInvokes     []plainRecord `json:"virtualInvokeProfiles"`
	InstanceofProfiles []plainRecord `json:"instanceofProfiles"`
	Monitors           []plainRecord `json:"monitorProfiles"`
	Samples            []plainRecord `json:"samplingProfiles"`
}

type plainRow struct {
	ID        int64
	Name      string
	Signature []int64 `json:",omitempty"`
}

type plainRecord struct {
	Ctx     string
	Records []int64
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"some-compiler-0.4.0.iprof.gz", "elidemin-1.0.0.iprof"} {
		text := sample(b, name)
		b.Run("parse/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := newParser(bytes.NewReader(text), "").readFile(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("import/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Read(bytes.NewReader(text), ReadOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("encoding-json/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var f plainFile
				if err := json.Unmarshal(text, &f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
