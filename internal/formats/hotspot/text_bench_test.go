package hotspot

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// manyMethods returns a text of n methods, each like the first of jdk17.txt.
func manyMethods(b *testing.B, n int) string {
	b.Helper()
	dashes := strings.Repeat("-", 72) + "\n"
	text := testdata(b, "jdk17.txt")
	first := text[strings.Index(text, "static final") : strings.Index(text, "\nzoo.Vet")+1]
	var all strings.Builder
	all.WriteString(dashes)
	for i := range n {
		all.WriteString(strings.Replace(first, "::feed(", fmt.Sprintf("::feed%d(", i), 1))
	}
	return all.String() + "Total MDO size: 1 bytes\n"
}

func BenchmarkReadText(b *testing.B) {
	text := manyMethods(b, 2000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ReadText(strings.NewReader(text), TextOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteText(b *testing.B) {
	text := manyMethods(b, 2000)
	data, _, _ := read(b, text, TextOptions{})
	s := open(b, data)
	b.SetBytes(int64(len(profileLines(text))))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (&Exporter{}).Export(io.Discard, s); err != nil {
			b.Fatal(err)
		}
	}
}
