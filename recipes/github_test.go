package recipes

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/profarc/profarc/internal/testkit/full"
)

const (
	current = ":ir\nf\n1\n1\n1000\n"
	slower  = ":ir\nf\n2\n1\n1000\n"
)

// gated runs the action's script as a runner does, and returns its output, its exit
// code, the summary and the outputs.
func gated(t *testing.T, folder string, inputs map[string]string) (log string, code int, summary, outputs string) {
	t.Helper()
	summaries, results := filepath.Join(t.TempDir(), "summary"), filepath.Join(t.TempDir(), "outputs")
	put(t, "", summaries)
	put(t, "", results)
	t.Setenv("GITHUB_STEP_SUMMARY", summaries)
	t.Setenv("GITHUB_OUTPUT", results)
	for _, name := range []string{"ARCHIVE", "AGAINST", "BASELINE", "FLAGS", "REQUIRED", "VERSION"} {
		t.Setenv("GATE_"+name, inputs[name])
	}
	script, err := filepath.Abs("github-action/gate.sh")
	if err != nil {
		t.Fatal(err)
	}
	log, code = run(t, folder, "bash", script)
	return log, code, read(t, summaries), read(t, results)
}

func TestGithubAction(t *testing.T) {
	full.Only(t, "takes many inputs")
	needs(t, "bash", "bash")
	withProfarc(t)
	folder := t.TempDir()
	put(t, current, folder, "current.proftext")
	put(t, slower, folder, "slower.proftext")
	must(t, folder, "profarc", "import", "current.proftext", "-o", "current.parc")
	must(t, folder, "profarc", "import", "slower.proftext", "-o", "a b.parc")

	log, code, summary, outputs := gated(t, folder,
		map[string]string{"ARCHIVE": "a b.parc", "AGAINST": "slower.proftext", "BASELINE": "none.parc",
			"FLAGS": "--max-age=0\n\n--min-runs=1\n--min-breadth=1\n"})
	if code != 0 || outputs != "verdict=pass\n" {
		t.Errorf("%d, %s, %s", code, outputs, log)
	}
	contains(t, log, "::notice::there is no baseline none.parc")
	contains(t, summary, "### ✅ a b.parc passes the gate", "| ✅ passed | fit | 100.000% |")

	failing := map[string]string{"ARCHIVE": "a b.parc", "AGAINST": "current.proftext", "BASELINE": "current.parc",
		"FLAGS": "--max-age=0"}
	log, code, summary, outputs = gated(t, folder, failing)
	if code != 0 || outputs != "verdict=fail\n" {
		t.Errorf("%d, %s, %s", code, outputs, log)
	}
	contains(t, summary, "does not pass the gate", "| ❌ failed | fit |")
	failing["REQUIRED"] = "true"
	if _, code, _, outputs = gated(t, folder, failing); code != 1 || outputs != "verdict=fail\n" {
		t.Errorf("required: %d, %s", code, outputs)
	}

	log, code, summary, outputs = gated(t, folder, map[string]string{"ARCHIVE": "none.parc"})
	if code != 0 || outputs != "verdict=no-profile\n" {
		t.Errorf("%d, %s, %s", code, outputs, log)
	}
	contains(t, summary, "The program starts normally without one.")
	if log, code, _, outputs = gated(t, folder, map[string]string{"ARCHIVE": "current.parc",
		"FLAGS": "--none"}); code != 2 || outputs != "" {
		t.Errorf("wrong usage: %d, %s, %s", code, outputs, log)
	}
	// Inputs are data: what a shell would run is the name of a file.
	log, code, _, _ = gated(t, folder, map[string]string{"ARCHIVE": "$(touch ran).parc", "BASELINE": "`touch ran`"})
	if _, err := os.Stat(filepath.Join(folder, "ran")); err == nil || code != 0 {
		t.Errorf("an input was run: %s", log)
	}
}

// TestGithubCompilers runs the jobs for compilers as a runner does, twice: first without app.parc, then after an edit
// with the app.parc that the cache kept.
func TestGithubCompilers(t *testing.T) {
	full.Only(t, "runs compilers")
	withProfarc(t)
	for name, c := range map[string]struct{ tool, source, from, to string }{
		"clang": {"clang", "app.c", "n % 64 ?", "n % 32 ?"},
		"rust":  {"cargo", "src/main.rs", "% 64", "% 32"},
	} {
		t.Run(name, func(t *testing.T) {
			needs(t, c.tool, c.tool)
			workflow := read(t, "github-action", name+".yml")
			lines := regexp.MustCompile(`(?m)^ +(?:- )?run: (.*)$`).FindAllStringSubmatch(workflow, -1)
			steps := lines[1:] // profarc is installed
			inputs := map[string]string{}
			for _, key := range []string{"archive", "against", "baseline", "flags"} {
				value := regexp.MustCompile(`(?m)^          ` + key + `: (?:\|\n +)?(.*)$`).FindStringSubmatch(workflow)
				inputs[strings.ToUpper(key)] = value[1]
			}
			folder := t.TempDir()
			program, err := txtar.ParseFile(filepath.Join("../cmd/profarc/testdata/doors", name+".txtar"))
			if err == nil {
				err = txtar.Write(program, folder)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("CARGO_NET_OFFLINE", "true")
			for round := range 2 {
				for i, step := range steps {
					if i == 2 {
						_, _, summary, outputs := gated(t, folder, inputs)
						if outputs != "verdict=pass\n" {
							t.Fatalf("%s: %s", outputs, summary)
						}
					}
					must(t, folder, "bash", "-ec", step[1])
				}
				if round == 1 {
					break
				}
				source := read(t, folder, c.source)
				if !strings.Contains(source, c.from) {
					t.Fatalf("%s has no %s", c.source, c.from)
				}
				put(t, strings.Replace(source, c.from, c.to, 1), folder, c.source)
				must(t, folder, "rm", "-r", "runs", "train")
			}
		})
	}
}

// TestGithubActionPassesInputs: the action gives the script all inputs and nothing else, and
// no input stands in a script, where a shell would run it.
func TestGithubActionPassesInputs(t *testing.T) {
	t.Parallel()
	action, script := read(t, "github-action/action.yml"), read(t, "github-action/gate.sh")
	_, steps, _ := strings.Cut(action, "\nruns:")
	if !strings.HasSuffix(steps, "run: bash \"$GITHUB_ACTION_PATH/gate.sh\"\n") || strings.Count(steps, "run:") != 1 {
		t.Error("the action has more logic than the script")
	}
	declared, _, _ := strings.Cut(action, "\noutputs:")
	inputs := regexp.MustCompile(`(?m)^  ([a-z]+):$`).FindAllStringSubmatch(declared, -1)
	if len(inputs) != 6 {
		t.Errorf("inputs: %v", inputs)
	}
	for _, in := range inputs {
		name := "GATE_" + strings.ToUpper(in[1])
		contains(t, steps, name+": ${{ inputs."+in[1]+" }}")
		contains(t, script, "$"+name)
	}
}

func TestGithubWorkflowLints(t *testing.T) {
	t.Parallel()
	lint := needs(t, "actionlint", "github.com/rhysd/actionlint/cmd/actionlint")
	must(t, ".", lint, "github-action/workflow.yml", "github-action/matrix.yml", "github-action/clang.yml",
		"github-action/rust.yml")
}

func TestScriptsLint(t *testing.T) {
	t.Parallel()
	lint := needs(t, "shellcheck", "shellcheck")
	must(t, ".", lint, "github-action/gate.sh", "systemd/profarc-dump", "maven/profarc.sh", "gradle/profarc.sh")
}
