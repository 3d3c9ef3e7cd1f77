package webtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed checks.js
var checksScript string

// Check runs a function of checks.js on the current page and returns the problems.
func (t *Tab) Check(function string) (problems []string, err error) {
	err = t.Eval(checksScript+"; checks."+function+"()", &problems)
	return problems, err
}

// Accessible runs rules of axe-core on the current page, and returns the problems. axe is the script from Axe. Without
// rules it runs all of them.
func (t *Tab) Accessible(axe string, rules ...string) (problems []string, err error) {
	names, err := json.Marshal(append([]string{}, rules...))
	if err != nil {
		return nil, err
	}
	load := "globalThis.axe ? 0 : (() => {" + axe + "; return 0 })()" // loads axe into the document
	err = t.Eval(fmt.Sprintf("%s; %s; checks.axeProblems(%s)", load, checksScript, names), &problems)
	return problems, err
}

// Links returns the targets of the visible links of the page.
func (t *Tab) Links() ([]string, error) { return t.Check("links") }
