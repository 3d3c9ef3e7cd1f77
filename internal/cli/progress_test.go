package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgressIsShownToTerminalsAndOfLongWorkAlone(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		since    time.Duration
		want     bool
	}{
		{"long work at a terminal", true, time.Minute, true},
		{"long work elsewhere", false, time.Minute, false},
		{"short work at a terminal", true, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			a := &App{Streams: Streams{RawErr: &out, ErrTerminal: c.terminal}}
			m := a.Meter("reading app.txt")
			m.begun = time.Now().Add(-c.since)
			m.Report(50, 100)
			if shown := strings.Contains(out.String(), "reading app.txt"); shown != c.want {
				t.Errorf("%s: printed %q", c.name, out.String())
			}
			m.Done()
			ended := out.Len()
			if m.Report(60, 100); out.Len() != ended {
				t.Errorf("%s: printed %q after its end", c.name, out.String()[ended:])
			}
		})
	}
}
