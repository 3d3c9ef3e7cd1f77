package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/profarc/profarc/internal/testkit/full"
)

// A door is a page for the users of a compiler. Its test types every line of the page, in a folder with the small
// program of testdata/doors.
type door struct {
	tool     string // the compiler
	plain    string // builds the program without a profile, as plain
	better   string // the program that the page builds
	evidence string // prints a line with proof if better was built with the profile
	proof    string
}

var doors = map[string]door{
	"clang": {tool: "clang", plain: "clang -O2 app.c -o plain", better: "./app",
		evidence: "clang -O2 -fprofile-use=app.profdata -S -emit-llvm app.c -o -", proof: "function_entry_count"},
	"rust": {tool: "cargo", plain: "rustc -O src/main.rs -o plain", better: "target/release/app",
		evidence: "rustc -O -Cprofile-use=app2.profdata --emit=llvm-ir src/main.rs -o app.ll && cat app.ll",
		proof:    "function_entry_count"},
	"go": {tool: "go", plain: "go build -pgo=off -o plain .", better: "./better",
		evidence: "go version -m better", proof: "-pgo="},
}

func TestDoors(t *testing.T) {
	full.Only(t, "runs compilers")
	for page, d := range doors {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(d.tool); err != nil {
				t.Skipf("no %s on this machine", d.tool)
			}
			typeDoor(t, page, d)
		})
	}
}

// TestReadmeTypesTheDoor checks that README.md's lines for compilers are lines of docs/clang.md, which TestDoors types,
// and that README.md links to each page.
func TestReadmeTypesTheDoor(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/clang.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## I build with clang, Rust or Go\n")
	section, _, _ = strings.Cut(section, "\n## ")
	lines := regexp.MustCompile(`(?m)^    .+$`).FindAllString(section, -1)
	if len(lines) != 4 {
		t.Errorf("README.md types %d lines for compilers", len(lines))
	}
	for _, line := range lines {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/clang.md does not have README.md's line %s", line)
		}
	}
	for name := range doors {
		if !strings.Contains(section, "](docs/"+name+".md)") {
			t.Errorf("README.md does not link to docs/%s.md", name)
		}
	}
}

func typeDoor(t *testing.T, page string, d door) {
	text, err := os.ReadFile(filepath.Join("../../docs", page+".md"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := txtar.ParseFile(filepath.Join("testdata/doors", page+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := txtar.Write(program, folder); err != nil {
		t.Fatal(err)
	}
	showsCodeOf(t, string(text), program)
	typed := 0
	for line := range strings.Lines(throughServer(t, string(text))) {
		command, ok := strings.CutPrefix(line, "    ")
		if !ok {
			continue
		}
		begin := time.Now()
		out := typeLine(t, folder, command)
		t.Logf("%6.2f s  %s", time.Since(begin).Seconds(), command)
		if strings.Contains(out, "warning:") {
			t.Errorf("%s warns: %s", command, out)
		}
		typed++
	}
	if typed < 10 {
		t.Errorf("%d lines were typed", typed)
	}
	if out := typeLine(t, folder, d.evidence); !strings.Contains(out, d.proof) {
		t.Errorf("%s does not print %s", d.evidence, d.proof)
	}
	typeLine(t, folder, d.plain)
	logTimes(t, folder, d)
}

// showsCodeOf checks that the code in fences is part of the program.
func showsCodeOf(t *testing.T, page string, program *txtar.Archive) {
	t.Helper()
	for _, block := range regexp.MustCompile("(?s)```[a-z]+\n(.*?)```").FindAllStringSubmatch(page, -1) {
		found := false
		for _, f := range program.Files {
			found = found || strings.Contains(string(f.Data), block[1])
		}
		if !found {
			t.Errorf("the program does not have this code of the page:\n%s", block[1])
		}
	}
}

// throughServer returns the page with the address of a server that runs, and with two seconds of its samples.
func throughServer(t *testing.T, page string) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return strings.NewReplacer("http://localhost:6060", server.URL, "seconds=30", "seconds=2").Replace(page)
}

func typeLine(t *testing.T, folder, line string) string {
	t.Helper()
	cmd := exec.Command("bash", "-ec", line)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GITHUB_STEP_SUMMARY=summary.md", "CARGO_NET_OFFLINE=true", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// logTimes logs the processor time of the program without and with the profile, the least of five runs in turns. Both
// must print the same.
func logTimes(t *testing.T, folder string, d door) {
	least := map[string]time.Duration{}
	printed := map[string]bool{}
	for range 5 {
		for _, program := range []string{"./plain", d.better} {
			cmd := exec.Command(filepath.Join(folder, program))
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			printed[string(out)] = true
			if took := cmd.ProcessState.UserTime(); least[program] == 0 || took < least[program] {
				least[program] = took
			}
		}
	}
	if len(printed) != 1 {
		t.Errorf("the programs print %v", printed)
	}
	t.Logf("without the profile %v, with it %v: %.2f", least["./plain"], least[d.better],
		float64(least[d.better])/float64(least["./plain"]))
}
