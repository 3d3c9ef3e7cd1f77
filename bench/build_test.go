package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkBuild records synthetic profiles and writes the archive.
func BenchmarkBuild(b *testing.B) {
	path := filepath.Join(b.TempDir(), "built.parc")
	var size int64
	for b.Loop() {
		built, err := Build(Small)
		if err != nil {
			b.Fatal(err)
		}
		report, err := built.Commit(context.Background(), path)
		if err != nil {
			b.Fatal(err)
		}
		size = report.Bytes
	}
	b.SetBytes(size)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(Small.Methods), "ns/method")
	os.Remove(path)
}
