// Testlog reads what go test -json wrote, and prints the packages' results and times, the output of tests that failed,
// a line "skipped NAME: REASON" for each test that was skipped, and at last a line "N passed, N failed, N
// skipped". Output that only go test -v shows cannot be told apart where tests run in parallel.
//
// With -tests FILE it fails if a test that the file lists did not run. With -write FILE it writes such a list.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

// An event is a line of go test -json; see go doc test2json.
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

// printLog prints what the package comment describes, and collects the tests that ended.
func printLog(ended executed) error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	counts := map[string]int{}
	output := map[string]string{}
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Println(lines.Text()) // of the compiler
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

// reason returns what a test printed, on one line, without go test's own lines.
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
