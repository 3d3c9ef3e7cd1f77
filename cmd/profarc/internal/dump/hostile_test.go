package dump

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestHostileReportIsEscaped prints the report of a dump, whatever the JVM says of itself.
func TestHostileReportIsEscaped(t *testing.T) {
	reports := rapid.MakeCustom[dumpReport](rapid.MakeConfig{Kinds: map[reflect.Kind]*rapid.Generator[any]{
		reflect.String: rapid.Just(specimen.HostileText).AsAny()}})
	rapid.Check(t, func(t *rapid.T) {
		var printed bytes.Buffer
		a := app.New(nil, cli.Streams{PlainOut: escape.NewWriter(&printed), PlainErr: escape.NewWriter(&printed)})
		r := reports.Draw(t, "report")
		r.Base = "0x7f00" // no foreign text
		r.printReport(a.Out)
		if err := a.Finish(); err != nil {
			t.Fatal(err)
		}
		specimen.CheckPrinted(t, "report", printed.String())
		if printed.Len() < 200 {
			t.Errorf("printed %q", printed.String())
		}
	})
}
