package llvm

import "testing"

// SampleFolder has recorded profiles of LLVM's releases.
const SampleFolder = sampleFolder

// GeneratedFiles returns odd profiles of one program for the llvm-profdata that writes a version.
func GeneratedFiles(t testing.TB, seed uint64, version int) (files [][]byte) {
	g := newGenerator(seed, version)
	for range 1 + g.IntN(4) {
		files = append(files, g.file(t))
	}
	return files
}
