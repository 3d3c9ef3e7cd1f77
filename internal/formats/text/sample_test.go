package text

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/testkit/full"
)

const samples = "../../../../shared/samples"

// Profiles that real programs wrote become the same archives by way of their texts.
func TestRealProfilesBecomeTheSameBytes(t *testing.T) {
	full.Only(t, "takes many inputs")
	if _, err := os.Stat(samples); err != nil {
		t.Skip("no samples of other tools' files")
	}
	domains := map[string]int{}
	err := filepath.WalkDir(samples, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if b := imported(t, path); b != nil {
			domains[b.Internal().Domain.String()]++
			checkExact(t, bytesOf(t, b))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, domain := range []string{"hotspot", "llvm-ir", "llvm-frontend", "graal"} {
		if domains[domain] < 3 {
			t.Errorf("%d profiles of domain %s", domains[domain], domain)
		}
	}
}

// imported reads a file in whatever format it is; nil if that is none.
func imported(t *testing.T, path string) (b *builder.Builder) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	r := bytes.NewReader(data)
	_, isLLVM := llvm.Detect(data)
	switch {
	case isLLVM:
		var report *codec.Report
		report, err = (&llvm.Importer{}).Import(&codec.Input{Reader: r})
		if err == nil {
			b = report.Sum
		}
	case iprof.Detect(data):
		var report *codec.Report
		report, err = (&iprof.Importer{}).Import(&codec.Input{Reader: r})
		if err == nil {
			b = report.Dumps[0]
		}
	case hotspot.Detect(data):
		var report *codec.Report
		report, err = (&hotspot.Importer{}).Import(&codec.Input{Reader: r})
		if err == nil {
			b = report.Dumps[0]
		}
	}
	if err != nil {
		return nil // some samples are of what cannot be read
	}
	return b
}
