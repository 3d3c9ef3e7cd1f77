package imports

import (
	"bytes"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/printtest"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// TestSkippedFilesAreEscaped prints that a file with a hostile name is left out for a hostile error.
func TestSkippedFilesAreEscaped(t *testing.T) {
	var printed bytes.Buffer
	a := app.New(nil, cli.Streams{PlainOut: escape.NewWriter(&printed), PlainErr: escape.NewWriter(&printed)})
	bad := &layout.Error{File: specimen.HostileText, Detail: specimen.HostileText}
	reportSkipped(a, specimen.HostileText, bad)
	if err := a.Finish(); err != nil {
		t.Fatal(err)
	}
	printtest.CheckText(t, "skip", printed.String())
	if printed.Len() == 0 {
		t.Error("nothing was printed")
	}
}
