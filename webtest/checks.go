package webtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed checks.js
var checksScript string

// Check runs a function of checks.js on the page that is shown and returns the problems that it finds.
func (t *Tab) Check(function string) (problems []string, err error) {
	err = t.Eval(checksScript+"; checks."+function+"()", &problems)
	return problems, err
}

// Accessible runs rules of axe-core, whose script is given, on the page that is shown, all
// if none are named, and returns the problems that they find.
func (t *Tab) Accessible(axe string, rules ...string) (problems []string, err error) {
	names, err := json.Marshal(append([]string{}, rules...))
	if err != nil {
		return nil, err
	}
	load := "globalThis.axe ? 0 : (() => {" + axe + "; return 0 })()" // in the document that is then looked at
	err = t.Eval(fmt.Sprintf("%s; %s; checks.axeProblems(%s)", load, checksScript, names), &problems)
	return problems, err
}

// Links returns where the links of the page lead that can be seen.
func (t *Tab) Links() ([]string, error) { return t.Check("links") }
