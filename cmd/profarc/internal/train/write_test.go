package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/training"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A JVM that starts and one that was damaged look alike, but for what they do.
func TestUnreadable(t *testing.T) {
	err := fmt.Errorf("process 7: %w", live.ErrStructure)
	if got := unreadable(err, true); !strings.Contains(got, "still starting") {
		t.Error(got)
	}
	if got := unreadable(err, false); !strings.Contains(got, "ended before its VM had started") {
		t.Error(got)
	}
	if got := unreadable(fmt.Errorf("process 7: %w", live.ErrNotStarted), false); strings.Contains(got, "damaged") {
		t.Error(got)
	}
}

// A defect in writing the profiles of one JVM is told, and neither loses profiles of
// the others nor changes the exit code of a command that failed.
func TestDefectOfOneJVM(t *testing.T) {
	for _, merge := range []bool{false, true} {
		var stderr bytes.Buffer
		out := filepath.Join(t.TempDir(), "a.parc")
		run := newTraining(context.Background(), &cli.App{ErrOut: &stderr},
			trainOptions{out: out, merge: merge, keepFailed: true})
		jvms := []*trainedJVM{{PID: 1, called: []string{"java"}}, {PID: 2, called: []string{"java"}},
			{PID: 3, called: []string{"java"}}}
		run.jvms = jvms
		for i, j := range jvms {
			var profiles *builder.Builder // without one, writing it panics
			if i != 1 {
				profiles = builder.New(layout.DomainHotSpot, builder.Config{Producer: "a test", DumpID: [16]byte{byte(1 + i)}})
				m := profiles.Method(layout.Key{Class: "A", Name: "m", Signature: "()V"})
				p := profiles.ProfileIn(m, 1, profileset.NoContext)
				p.Invocations(3)
				if err := p.Done(); err != nil {
					t.Fatal(err)
				}
			}
			run.queue <- pendingArchive{jvms: []*trainedJVM{j}, read: func() (*builder.Builder, error) { return profiles, nil }}
		}
		run.awaitCopies()
		run.publishOutputs(run.refusalOf(training.Status{Code: 7}))
		var end *cli.ExitError
		if err := run.reportEnd(context.Background(), training.Status{Code: 7}); !errors.As(err, &end) || end.Code != 7 {
			t.Errorf("merge %t: %v", merge, err)
		}
		if text := stderr.String(); !strings.Contains(text, "no archive of JVM 2 (java): a defect of profarc, while it ") {
			t.Errorf("merge %t: stderr %q", merge, text)
		}
		for _, j := range []*trainedJVM{jvms[0], jvms[2]} {
			if _, err := os.Stat(j.Archive); err != nil {
				t.Errorf("merge %t: JVM %d: %v: %s", merge, j.PID, err, j.Why)
			}
		}
	}
}
