package main

import (
	"io"
	"strings"
	"testing"
)

// TestTextMark: the mark in front of UTF-8 is no part of a text of any format,
// and UTF-16 is said to be what it is.
func TestTextMark(t *testing.T) {
	for name, text := range map[string]string{
		"iprof":   `{"version":"1.0.0","types":[],"methods":[]}`,
		"jamaica": "PROFILE: 1 (100%) A.m()V\n",
	} {
		in, err := newInput("app", strings.NewReader("\ufeff"+text))
		if err != nil {
			t.Fatal(err)
		}
		format, err := in.format()
		if err != nil || format.name != name {
			t.Fatalf("%s: %+v, %v", name, format, err)
		}
		if rest, err := io.ReadAll(in); string(rest) != text || err != nil {
			t.Errorf("%s: read %q, %v", name, rest, err)
		}
	}
	for _, text := range []string{"\xff\xfe{\x00", "\xfe\xff\x00{"} {
		in, err := newInput("app", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.format(); err == nil || err.Error() != "app: it is UTF-16: convert it to UTF-8 first" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
