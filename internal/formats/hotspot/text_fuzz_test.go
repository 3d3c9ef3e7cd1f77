package hotspot

import (
	"bytes"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
)

// FuzzReadText: no text makes ReadText panic, and a text that is read without a loss
// is the same archive again after it was printed.
func FuzzReadText(f *testing.F) {
	for _, name := range []string{"jdk17.txt", "jdk25.txt", "log.xml"} {
		text := testdata(f, name)
		f.Add(text)
		for _, small := range methodTexts(text) {
			f.Add(small)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, report, err := ReadText(strings.NewReader(text), TextOptions{})
		if err != nil {
			return
		}
		data, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		out, printed := print(t, data)
		again, _, _ := read(t, out, TextOptions{})
		if !faithful(report) || hasOtherLoss(printed.Lost, LossCode) {
			return
		}
		if twice, _ := print(t, again); twice != out {
			t.Fatalf("printed otherwise after reading what was printed:\n%s", out)
		}
		if report.Lost.Count(LossBytecodes) == 0 && !bytes.Equal(data, again) { // a listing leaves a sketch
			t.Fatalf("another archive after printing:\n%s", out)
		}
	})
}

// methodTexts makes texts of one method each, with some lines only: a smaller
// text is more likely to stay one when it is changed.
func methodTexts(text string) (texts []string) {
	dashes := strings.Repeat("-", 72) + "\n"
	for _, m := range strings.Split(profileLines(text), dashes) {
		lines := strings.SplitAfter(m, "\n")
		if len(lines) < 7 {
			continue
		}
		head := dashes + strings.Join(lines[:7], "")
		for i := 7; i < len(lines); i += 3 {
			texts = append(texts, head+strings.Join(lines[i:min(i+6, len(lines))], "")+dashes+"Total MDO size: 1 bytes\n")
		}
	}
	return texts
}

// faithful reports whether only lines that are no profiles were lost.
func faithful(r *codec.Report) bool {
	for _, l := range r.Lost {
		switch l.What {
		case LossBytecodes, LossUnknownLine, LossLaterDump, LossLoader, parse.LossCodeIDs, parse.LossWidths:
		default:
			return false
		}
	}
	return true
}

// FuzzDetect: a text that has methods is detected, and nothing else is.
func FuzzDetect(f *testing.F) {
	for _, name := range []string{"jdk25.txt", "log.xml"} {
		f.Add(testdata(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, report, err := parseText(strings.NewReader(text), "", false)
		if found := Detect([]byte(text)); err == nil && found != (report.Methods > 0) {
			t.Errorf("detected: %t, methods: %d", found, report.Methods)
		}
	})
}
