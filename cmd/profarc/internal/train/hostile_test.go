package train

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/printtest"
	"github.com/profarc/profarc/internal/parse/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestHostileReportsAreEscaped prints what is said of JVMs, whatever they say of
// themselves.
func TestHostileReportsAreEscaped(t *testing.T) {
	for _, running := range []bool{false, true} {
		var printed bytes.Buffer
		s := app.Streams{PlainOut: escape.NewWriter(&printed), PlainErr: escape.NewWriter(&printed)}
		a := app.New(nil, s)
		for _, merged := range []bool{false, true} {
			j := filled(new(trainedJVM))
			j.Running = running
			j.print(a.ErrOut, merged)
			j.Archive = ""
			j.print(a.ErrOut, merged)
		}
		filled(new(trainedArchive)).print(a.ErrOut, specimen.HostileText)
		d := filled(new(dumpReport))
		d.Base = "0x7f00" // no foreign text
		d.print(a.Out)
		if err := a.Finish(); err != nil {
			t.Fatal(err)
		}
		printtest.CheckText(t, "reports", printed.String())
		if printed.Len() < 1000 {
			t.Errorf("printed %q", printed.String())
		}
	}
}

// filled sets every text of a report to a hostile one, and every number to 7.
func filled[T any](report *T) *T {
	fillHostile(reflect.ValueOf(report).Elem())
	return report
}

func fillHostile(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			if !field.CanSet() {
				field = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
			}
			fillHostile(field)
		}
	case reflect.String:
		v.SetString(specimen.HostileText)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fillHostile(v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillHostile(v.Elem())
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Bool:
		v.SetBool(true)
	}
}
