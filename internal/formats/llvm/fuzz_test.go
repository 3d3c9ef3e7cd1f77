package llvm

import (
	"bytes"
	"testing"
)

// Whatever the bytes are: no panic, an error with a place or an archive, and
// the same whether it is read or only checked.

func FuzzRaw(f *testing.F)     { fuzz(f, KindRaw) }
func FuzzIndexed(f *testing.F) { fuzz(f, KindIndexed) }
func FuzzText(f *testing.F)    { fuzz(f, KindText) }

func fuzz(f *testing.F, kind Kind) {
	for _, file := range intact(f) {
		if k, _ := Detect(file); k == kind {
			f.Add(file)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if k, _ := Detect(file); k != kind && kind != KindText {
			return
		}
		if readOnce(t, file) != nil {
			return
		}
		b, _, err := Read(bytes.NewReader(file), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Bytes(); err != nil {
			t.Fatalf("a file that is read and not written: %v", err)
		}
	})
}
