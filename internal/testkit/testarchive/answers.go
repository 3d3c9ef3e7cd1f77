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

// MethodLine returns a method as the dump prints it, without what depends on the other
// methods of its archive.
func MethodLine(t TB, m reader.Method) string {
	t.Helper()
	var line bytes.Buffer
	if err := jsondump.WriteMethod(&line, m.Store(), m); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(line.String(), sharedID, "", 1)
}

// A Found is what a look-up of a profile found, as the dump prints it, without what depends on
// the rest of the archive. Those of equal answers are equal.
type Found struct {
	Method  string // the method's facts
	Profile string // the depth of the context with the profile, or the error
}

// FoundBy makes a Found of a look-up's results.
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
