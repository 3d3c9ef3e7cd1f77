package escape

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWriterEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"main\tplain\n":                    "main\tplain\n",
		"\x1b[2J\x1b]52;c;AAAA\a":          `\u001b[2J\u001b]52;c;AAAA\u0007`,
		"a\rb\bc\x7f":                      `a\u000db\u0008c\u007f`,
		"\u009b2J \x9b2J":                  `\u009b2J \udc9b2J`,
		"\u202egnp\u202c \u200b\ufeff":     `\u202egnp\u202c \u200b\ufeff`,
		"\u2028\U000e0041":                 `\u2028\udb40\udc41`,
		"\u00e9\u65e5\U0001f600 <init>":    "\u00e9\u65e5\U0001f600 <init>",
		"cut \xe2\x80":                     `cut \udce2\udc80`,
		"\xff\xed\xa0\x80\xc0\x80\xf4\x90": `\udcff\udced\udca0\udc80\udcc0\udc80\udcf4\udc90`,
	} {
		for _, piece := range []int{1, 2, 3, len(text)} {
			if got := written(t, []byte(text), piece); got != want {
				t.Errorf("%q in pieces of %d: %s, want %s", text, piece, got, want)
			}
		}
	}
}

// written returns a text that is written in pieces of a size.
func written(t interface{ Fatal(...any) }, text []byte, piece int) string {
	var out bytes.Buffer
	w := NewWriter(&out)
	for ; len(text) > 0; text = text[min(piece, len(text)):] {
		part := text[:min(piece, len(text))]
		if n, err := w.Write(part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Whatever is written, and in whatever pieces, the output is valid UTF-8
// without unsafe characters, and JSON that goes through says the same.
func TestWriterProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		for _, r := range rapid.SliceOf(rapid.Rune()).Draw(t, "runes") {
			text = utf8.AppendRune(text, r)
		}
		piece := rapid.IntRange(1, 9).Draw(t, "piece")
		got := written(t, text, piece)
		for _, r := range got {
			if r == utf8.RuneError && !bytes.ContainsRune(text, r) || r != '\n' && r != '\t' && Unsafe(r) {
				t.Fatalf("%q became %q", text, got)
			}
		}
		quoted, _ := json.Marshal(string(text))
		var before, after string
		_ = json.Unmarshal(quoted, &before)
		if err := json.Unmarshal([]byte(written(t, quoted, piece)), &after); err != nil || before != after {
			t.Fatalf("%q became %q, %v", before, after, err)
		}
	})
}

// All characters that Unicode calls controls, and formats that hide or reorder, are unsafe.
func TestUnsafeCoversUnicode(t *testing.T) {
	for _, table := range []*unicode.RangeTable{unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control} {
		each(table, func(r rune) {
			if !Unsafe(r) {
				t.Errorf("%U is passed on", r)
			}
		})
	}
	for _, r := range "\u200b\u200c\u200d\u2060\ufeff\u00ad\U000e0001" {
		if !Unsafe(r) {
			t.Errorf("%U is passed on", r)
		}
	}
	for _, r := range " ~\u00a0\u00e9\u0300\u2010\u2070\ufffd\U0001f600" {
		if Unsafe(r) {
			t.Errorf("%U is escaped", r)
		}
	}
}

// each calls f for all characters of a table.
func each(table *unicode.RangeTable, f func(rune)) {
	for _, in := range table.R16 {
		for r := rune(in.Lo); r <= rune(in.Hi); r += rune(in.Stride) {
			f(r)
		}
	}
	for _, in := range table.R32 {
		for r := rune(in.Lo); r <= rune(in.Hi); r += rune(in.Stride) {
			f(r)
		}
	}
}
