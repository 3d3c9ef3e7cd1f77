package imports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// TestReadersRefuseUnaccountedProfiles opens profiles that lack counts of their input.
func TestReadersRefuseUnaccountedProfiles(t *testing.T) {
	b := builder.New(layout.DomainSampled, builder.Config{})
	if s, err := openBuilt(b, "sound"); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
	b.Internal().AddInput(ledger.Input{Name: "x", State: ledger.Read, Times: 1,
		Totals: ledger.Totals{ledger.Invocations: 12}})
	if _, err := openBuilt(b, "defective"); err == nil || !strings.Contains(err.Error(), "unaccounted: 12 ") {
		t.Errorf("12 counts are lost, and the error is %v", err)
	}
}

// TestSkippedFilesAreEscaped prints that a file with a hostile name is left out for a hostile error.
func TestSkippedFilesAreEscaped(t *testing.T) {
	var printed bytes.Buffer
	a := app.New(nil, cli.Streams{PlainOut: escape.NewWriter(&printed), PlainErr: escape.NewWriter(&printed)})
	bad := &layout.Error{File: specimen.HostileText, Detail: specimen.HostileText}
	reportSkipped(a, specimen.HostileText, bad)
	if err := a.Finish(); err != nil {
		t.Fatal(err)
	}
	specimen.CheckPrinted(t, "skip", printed.String())
	if printed.Len() == 0 {
		t.Error("nothing was printed")
	}
}
