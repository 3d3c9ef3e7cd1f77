// Package printtest helps tests check the output of commands about hostile archives.
package printtest

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

var forgedLine = lazyregexp.New(`(?m)^\s*` + specimen.Forged)

func CheckText(t *testing.T, what, text string) {
	t.Helper()
	CheckCharacters(t, what, text)
	if at := forgedLine().FindStringIndex(text); at != nil {
		t.Errorf("%s: a text forged a line: %q", what, text[max(at[0]-200, 0):min(at[1]+40, len(text))])
	}
}

func CheckCharacters(t *testing.T, what, text string) {
	t.Helper()
	if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && escape.Unsafe(r) }); at >= 0 ||
		!utf8.ValidString(text) {
		t.Errorf("%s: prints %q", what, text[max(at-40, 0):min(at+40, len(text))])
	}
}

// FillHostile sets every string of a report to a hostile one, and every number to 7.
func FillHostile[T any](report *T) *T {
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
