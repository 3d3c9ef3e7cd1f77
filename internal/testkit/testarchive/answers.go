package testarchive

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/reader"
)

var sharedID = fmt.Sprintf(`,"flags":%d`, disk.MethodSharedID)

// MethodLine returns the JSON of a method without the flag that depends on other methods of its archive.
func MethodLine(t TB, m reader.Method) string {
	t.Helper()
	var line bytes.Buffer
	if err := jsondump.WriteMethod(&line, m.Store(), m); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(line.String(), sharedID, "", 1)
}

// A Found is the comparable result of a profile lookup. It does not depend on the rest of the archive.
type Found struct {
	Method  string // JSON of the method
	Profile string // depth of the context and JSON of the profile, or the error
}

// FoundBy converts the results of a lookup.
func FoundBy(t TB, p reader.Profile, depth int, err error) Found {
	t.Helper()
	if err != nil {
		return Found{Profile: err.Error()}
	}
	m, err := p.Method()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := jsondump.WriteProfile(&text, p.Store(), m, p); err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(text.String(), `"methods":[`)
	method, profile, _ := strings.Cut(line, `"profiles":[`)
	return Found{strings.Replace(method, sharedID, "", 1), fmt.Sprint(depth, profile)}
}
