package dump

import (
	"bytes"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/printtest"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

// TestHostileReportIsEscaped prints the report of a dump, whatever the JVM says of itself.
func TestHostileReportIsEscaped(t *testing.T) {
	var printed bytes.Buffer
	a := app.New(nil, cli.Streams{PlainOut: escape.NewWriter(&printed), PlainErr: escape.NewWriter(&printed)})
	r := printtest.FillHostile(new(dumpReport))
	r.Base = "0x7f00" // no foreign text
	r.printReport(a.Out)
	if err := a.Finish(); err != nil {
		t.Fatal(err)
	}
	printtest.CheckText(t, "report", printed.String())
	if printed.Len() < 200 {
		t.Errorf("printed %q", printed.String())
	}
}
