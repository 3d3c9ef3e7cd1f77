package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

const module = "github.com/profarc/profarc"

// executed is the set of executed or skipped top-level tests and scripts. A key is the folder of the package and the
// name of the test.
type executed map[string]bool

func (x executed) addEnded(e event) {
	if e.Test == "" || strings.Contains(e.Test, "/") && !strings.HasPrefix(e.Test, "TestScripts/") {
		return
	}
	folder := strings.TrimPrefix(strings.TrimPrefix(e.Package, module), "/")
	if folder == "" {
		folder = "."
	}
	x[folder+" "+e.Test] = true
}

// checkList returns an error that lists the tests in a list that did not run.
func (x executed) checkList(list string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	var lost []string
	for test := range strings.Lines(string(text)) {
		test = strings.TrimSpace(test)
		if !x[test] {
			lost = append(lost, test)
		}
	}
	if lost != nil {
		return fmt.Errorf("%s lists %d tests that did not run: %s", list, len(lost), strings.Join(lost, ", "))
	}
	return nil
}

func (x executed) writeList(list string) error {
	var names []string
	for name := range x {
		names = append(names, name)
	}
	slices.Sort(names)
	return os.WriteFile(list, []byte(strings.Join(names, "\n")+"\n"), 0o666)
}
