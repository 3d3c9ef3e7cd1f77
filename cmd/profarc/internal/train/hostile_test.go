package train

import (
	"bytes"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/printtest"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestHostileReportsAreEscaped prints reports on JVMs, whatever they say of themselves.
func TestHostileReportsAreEscaped(t *testing.T) {
	for _, running := range []bool{false, true} {
		var printed bytes.Buffer
		s := cli.Streams{PlainOut: escape.NewWriter(&printed), PlainErr: escape.NewWriter(&printed)}
		a := app.New(nil, s)
		for _, merged := range []bool{false, true} {
			j := printtest.FillHostile(new(trainedJVM))
			j.Running = running
			j.printJVM(a.ErrOut, merged)
			j.Archive = ""
			j.printJVM(a.ErrOut, merged)
		}
		printtest.FillHostile(new(trainedArchive)).printArchive(a.ErrOut, specimen.HostileText)
		if err := a.Finish(); err != nil {
			t.Fatal(err)
		}
		printtest.CheckText(t, "reports", printed.String())
		if printed.Len() < 800 {
			t.Errorf("printed %q", printed.String())
		}
	}
}
