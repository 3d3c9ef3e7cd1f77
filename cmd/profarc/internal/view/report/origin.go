package report

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/names/escape"
)

// A CheckOrigin says which parts of the class path that an archive records are checked.
type CheckOrigin struct {
	Elements []CheckElement `json:"elements"`
	VM       string         `json:"vm"`  // build that was recorded
	JDK      string         `json:"jdk"` // home of the JDK of that build; empty if there is none here
}

// A CheckElement is an element of a recorded class path.
type CheckElement struct {
	Path  string       `json:"path"`
	State ElementState `json:"state"`
}

// An ElementState describes the file at the path of an element now.
type ElementState string

// The states.
const (
	ElementSame    ElementState = "same"    // the recorded content
	ElementChanged ElementState = "changed" // another content, or the recorded one is not known
	ElementMissing ElementState = "missing" // neither a file nor a folder: it is left out
)

// shownElements is the most elements that are named.
const shownElements = 5

// Text says in one sentence what of the class path is checked.
func (o *CheckOrigin) Text() string {
	names := map[ElementState][]string{}
	for _, e := range o.Elements {
		names[e.State] = append(names[e.State], e.Path)
	}
	text := fmt.Sprintf("elements of the recorded class path: %d, with the recorded content %d", len(o.Elements),
		len(names[ElementSame]))
	for _, state := range []ElementState{ElementChanged, ElementMissing} {
		if all := names[state]; len(all) > 0 {
			text += fmt.Sprintf(", %s %d (%s)", elementTexts[state], len(all), escape.Printable(shownNames(all)))
		}
	}
	if o.JDK == "" {
		return text + "; the JDK is not checked, since none of its build is on JAVA_HOME or PATH"
	}
	return text + "; the JDK is that of " + escape.Printable(o.JDK)
}

var elementTexts = map[ElementState]string{ElementChanged: "with another", ElementMissing: "not here"}

// shownNames returns the first of some names.
func shownNames(all []string) string {
	text := strings.Join(all[:min(len(all), shownElements)], ", ")
	if n := len(all) - shownElements; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// OriginRemarks says where the class path comes from, and what of it is left out.
func (r *Check) OriginRemarks() (list []string) {
	if r.Origin != nil {
		list = append(list, r.Origin.Text())
	}
	if len(r.Missing) > 0 {
		list = append(list, "left out, as a JVM does: there is no "+escape.Printable(shownNames(r.Missing)))
	}
	return list
}
