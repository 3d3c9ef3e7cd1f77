package train

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

// TestHostileReportsAreEscaped prints reports on JVMs, whatever they say of themselves.
func TestHostileReportsAreEscaped(t *testing.T) {
	hostile := rapid.MakeConfig{Kinds: map[reflect.Kind]*rapid.Generator[any]{
		reflect.String: rapid.Just(specimen.HostileText).AsAny()}}
	jvms, archives := rapid.MakeCustom[trainedJVM](hostile), rapid.MakeCustom[trainedArchive](hostile)
	rapid.Check(t, func(t *rapid.T) {
		var printed bytes.Buffer
		a := app.New(nil, cli.Streams{PlainOut: escape.NewWriter(&printed), PlainErr: escape.NewWriter(&printed)})
		for _, merged := range []bool{false, true} {
			j := jvms.Draw(t, "JVM")
			j.called = []string{specimen.HostileText, specimen.HostileText}
			j.printJVM(a.ErrOut, merged)
			j.Archive = ""
			j.printJVM(a.ErrOut, merged)
		}
		r := archives.Draw(t, "archive")
		r.printArchive(a.ErrOut, specimen.HostileText)
		if err := a.Finish(); err != nil {
			t.Fatal(err)
		}
		specimen.CheckPrinted(t, "reports", printed.String())
		if printed.Len() < 800 {
			t.Errorf("printed %q", printed.String())
		}
	})
}
