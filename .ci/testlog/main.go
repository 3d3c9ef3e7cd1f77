// Testlog summarizes the output of go test -json, which unlike go test -v assigns the output of parallel tests
// correctly. It prints the results and times of packages, the output of failed tests, a line "skipped NAME: REASON" for
// each skipped test, and a final line "N passed, N failed, N skipped".
//
// With -tests FILE it fails if a test in this list did not run. With -write FILE it writes such a list.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

// An event is a line of go test -json (see go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(1)
	}
}

func run() error {
	list := flag.String("tests", "", "`file` with the tests that must run")
	written := flag.String("write", "", "`file` to which the tests of this run are written")
	flag.Parse()
	ended := executed{}
	if err := printLog(ended); err != nil {
		return err
	}
	if *written != "" {
		return ended.writeList(*written)
	}
	if *list != "" {
		return ended.checkList(*list)
	}
	return nil
}

// printLog prints the summary, and adds completed tests to ended.
func printLog(ended executed) error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	counts := map[string]int{}
	output := map[string]string{}
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Println(lines.Text()) // output of the compiler
			continue
		}
		name := e.Package + "." + e.Test
		switch e.Action {
		case "output":
			output[name] += e.Output
			continue
		case "fail":
			fmt.Print(output[name])
		case "skip":
			if e.Test != "" {
				fmt.Printf("skipped %s: %s\n", name, reason(output[name]))
			}
		case "pass":
			if e.Test == "" {
				fmt.Printf("ok %s %.0f s\n", e.Package, e.Elapsed)
			}
		}
		if e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
			counts[e.Action]++
			ended.addEnded(e)
		}
		delete(output, name)
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", counts["pass"], counts["fail"], counts["skip"])
	return lines.Err()
}

// reason joins the lines that a test printed, without the lines of go test.
func reason(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

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
