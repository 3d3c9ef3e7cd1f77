package jamaica

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/reader"
)

// openFor is like open for property tests.
func openFor(t interface{ Fatal(...any) }, data []byte) *reader.Store {
	m, err := archive.FromBytes("test.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// check reads a text, whatever it is: the error must be a typed one, and what
// was read and written is, read again, the same archive.
func check(t testing.TB, text string) {
	t.Helper()
	b, report, err := Read(strings.NewReader(text), ReadOptions{})
	if err != nil {
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Line > strings.Count(text, "\n")+1 {
			t.Fatalf("%q: %v", text, err)
		}
		return
	}
	if !Detect([]byte(text)) {
		t.Fatalf("%q: read, and not detected", text)
	}
	data := encode(t, b)
	out, written := write(t, data)
	if len(written.Lost) > 0 {
		t.Fatalf("%q: lost in writing: %+v", text, written)
	}
	again, _ := read(t, out)
	if text, _ := write(t, again); text != out {
		t.Fatalf("%q: written as\n%sand then as\n%s", text, out, text)
	}
	// Summed runs have a total of their own, and shares that do not fit have none.
	if report.Runs == 1 && report.Lost.Count(LossShare) == 0 && !bytes.Equal(data, again) {
		t.Fatalf("%q: another archive after writing\n%s", text, out)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("PROFILE: 0 0 0\nA: \r")
	f.Add("PROFILE: 700000000000000000 00 0")
	f.Add("PROFILE_INVOKE 0 0! %( 0")
	f.Add("PROFILE: 60 (60%) A.m()V\nHEAP_REFS: 1 2 (50%)\nPROFILE: 40 (100%) A.m()V(int\n")
	f.Add(" 60\xff\xff\xff\x7f%) A.m()V\nHEA<_REFS: 1 2 (50%)\nPROFILE: 40 (100%) A.m()V(int\n")
	f.Add("PROFILE: 40 (100%) A.m()V(int\n")
	for line := range strings.Lines(testdata(f, "harbour.txt")) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text) })
}

func TestCutAtEveryLength(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	text := testdata(t, "harbour.txt")
	for n := range len(text) {
		check(t, text[:n])
	}
}

func TestChangedBytes(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	text := testdata(t, "harbour.txt") + secondRun
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := []byte(text)
		for range 1 + random.IntN(3) {
			b[random.IntN(len(b))] = byte(random.Uint32())
		}
		check(t, string(b))
	}
}
