package recipes

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// suites writes an archive for each of several suites into a folder, as training jobs do.
func suites(t *testing.T, folder string, names ...string) {
	t.Helper()
	for i, name := range names {
		put(t, strings.Replace(current, "1000", strings.Repeat("9", i+1), 1), folder, name+".proftext")
		must(t, folder, "profarc", "import", name+".proftext", "-o", name+".parc")
	}
}

// TestGithubMatrix runs the line that merges the archives of the matrix, with all of them and with one missing.
func TestGithubMatrix(t *testing.T) {
	full.Only(t, "takes many inputs")
	needs(t, "bash", "bash")
	withProfarc(t)
	workflow := read(t, "github-action/matrix.yml")
	merging := regexp.MustCompile(`(?m)^      - run: (profarc merge .*)$`).FindStringSubmatch(workflow)
	expected := regexp.MustCompile(`(?m)^  SUITES: (\d+)$`).FindStringSubmatch(workflow)
	names := regexp.MustCompile(`(?m)^        suite: \[(.*)\]$`).FindStringSubmatch(workflow)
	if merging == nil || expected == nil || names == nil {
		t.Fatal("the workflow has another form")
	}
	t.Setenv("SUITES", expected[1])
	matrix := strings.Split(names[1], ", ")
	for arrived, account := range map[int]string{3: "3 expected: 3 read", 2: "3 expected: 2 read"} {
		folder := t.TempDir()
		suites(t, filepath.Join(folder, "profiles"), matrix[:arrived]...)
		must(t, folder, "bash", "-ec", merging[1])
		contains(t, must(t, folder, "profarc", "info", "new.parc"), account)
		put(t, ":ir\nf\n1\n1\n7\n", folder, "program.proftext")
		gate := []string{"gate", "new.parc", "--against", "program.proftext", "--min-breadth=1"}
		for _, flag := range []string{"--min-inputs=2", "--max-damaged=1"} {
			contains(t, workflow, "            "+flag+"\n")
			gate = append(gate, flag)
		}
		must(t, folder, "profarc", gate...)
	}
}

// tektonScript returns the script of the task.
func tektonScript(t *testing.T) string {
	t.Helper()
	_, script, found := strings.Cut(read(t, "tekton/gate.yaml"), "      script: |\n")
	if !found {
		t.Fatal("the task has no script")
	}
	return strings.ReplaceAll(script, "        ", "")
}

// TestTektonTask runs the script of the task with archives, without a baseline and with one, and without archives.
func TestTektonTask(t *testing.T) {
	full.Only(t, "takes many inputs")
	needs(t, "sh", "a shell")
	withProfarc(t)
	folder := t.TempDir()
	script := filepath.Join(folder, "gate.sh")
	put(t, tektonScript(t), script)
	verdict := filepath.Join(folder, "verdict")
	t.Setenv("EXPECT", "2")
	t.Setenv("AGAINST", "program.proftext")
	t.Setenv("RESULT", verdict)
	put(t, current, folder, "program.proftext")
	judge := func(want string, flags ...string) {
		t.Helper()
		must(t, folder, "sh", append([]string{script}, flags...)...)
		if got := read(t, verdict); got != want {
			t.Errorf("%v: the verdict is %s, want %s", flags, got, want)
		}
		if _, err := os.Stat(filepath.Join(folder, "new.parc")); err == nil {
			t.Errorf("%v: new.parc is left", flags)
		}
	}
	put(t, current, folder, "left.proftext")
	must(t, folder, "profarc", "import", "left.proftext", "-o", "new.parc") // as a killed task leaves it
	judge("no-profile")
	suites(t, filepath.Join(folder, "runs"), "a", "b")
	judge("fail")
	judge("pass", "--min-breadth=1")
	contains(t, must(t, folder, "profarc", "info", "current.parc"), "2 expected: 2 read")
	judge("pass")
	if _, code := run(t, folder, "sh", script, "--none"); code != 2 {
		t.Errorf("a flag that does not exist ends with %d", code)
	}
}

func TestTektonTaskLints(t *testing.T) {
	t.Parallel()
	lint := needs(t, "tekton-lint", "@ibm/tekton-lint with npm")
	must(t, ".", lint, "tekton/gate.yaml")
	wrong := t.TempDir()
	put(t, strings.Replace(read(t, "tekton/gate.yaml"), "$(params.expect)", "$(params.expekt)", 1), wrong, "gate.yaml")
	if out, code := run(t, wrong, lint, "gate.yaml"); code == 0 {
		t.Errorf("a parameter that is not declared is not found: %s", out)
	}
	shellcheck := needs(t, "shellcheck", "shellcheck")
	folder := t.TempDir()
	put(t, tektonScript(t), folder, "gate.sh")
	must(t, folder, shellcheck, "gate.sh")
}

// coverageTools stands for the repository that Bazel 4 downloads before its first test.
const coverageTools = `package(default_visibility = ["//visibility:public"])
filegroup(name = "coverage_report_generator")
filegroup(name = "lcov_merger")
`

// TestBazel builds the targets of the recipe offline. A profile of other code fails the gate.
func TestBazel(t *testing.T) {
	full.Only(t, "starts Bazel")
	bazel := needs(t, "bazel", "bazel-bootstrap")
	withProfarc(t)
	folder := copied(t, "bazel")
	commands, err := build()
	if err != nil {
		t.Fatal(err)
	}
	put(t, read(t, commands, "profarc"), folder, "bin", "profarc")
	put(t, current, folder, "program.proftext")
	suites(t, filepath.Join(folder, "runs"), "a", "b")
	tools := t.TempDir()
	put(t, "", tools, "WORKSPACE")
	put(t, coverageTools, tools, "BUILD")
	root := "--output_user_root=" + t.TempDir()
	offline := "--override_repository=remote_coverage_tools=" + tools
	t.Cleanup(func() { must(t, folder, bazel, root, "shutdown") })
	must(t, folder, bazel, root, "build", "//:profdata")
	must(t, folder, "profarc", "import", "bazel-bin/app.profdata", "-o", "again.parc")
	contains(t, must(t, folder, bazel, root, "test", offline, "//:gate"), "1 test passes")
	put(t, slower, folder, "program.proftext")
	if out, code := run(t, folder, bazel, root, "test", offline, "//:gate"); code != 3 {
		t.Errorf("a profile of other code: %d, %s", code, out)
	}
}

func TestBazelFilesAreFormatted(t *testing.T) {
	t.Parallel()
	buildifier := needs(t, "buildifier", "github.com/bazelbuild/buildtools/buildifier")
	must(t, ".", buildifier, "-mode=check", "-lint=warn", "bazel/BUILD.bazel", "bazel/profarc.bzl")
}

const wordsTest = `import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;
class WordsTest {
    static int count(String text) {
        int n = 0;
        for (String word : text.split(" ")) n += word.isEmpty() ? 0 : 1;
        return n;
    }
    @Test void countsWords() { for (int i = 0; i < 20000; i++) assertEquals(3, count("one two three")); }
}
`

// TestJUnitListener runs a test on JUnit's platform, which finds the listener on the class path.
func TestJUnitListener(t *testing.T) {
	adopting(t)
	const jars = "/usr/share/java/"
	if _, err := os.Stat(jars + "junit-platform-console.jar"); err != nil {
		t.Skip("no JUnit 5: install junit5")
	}
	withProfarc(t)
	folder := copied(t, "junit")
	put(t, wordsTest, folder, "WordsTest.java")
	must(t, folder, "javac", "-cp", jars+"*", "-d", "classes", "WordsTest.java", "ProfarcListener.java")
	put(t, read(t, "junit", "META-INF", "services", "org.junit.platform.launcher.TestExecutionListener"), folder,
		"classes", "META-INF", "services", "org.junit.platform.launcher.TestExecutionListener")
	tested := func(options ...string) string {
		t.Helper()
		arguments := append(options, "-cp", "classes:"+jars+"*", "org.junit.platform.console.ConsoleLauncher",
			"--select-class=WordsTest")
		out := must(t, folder, "java", arguments...)
		contains(t, out, "1 tests successful")
		return out
	}
	if out := tested(); strings.Contains(out, "profarc") {
		t.Errorf("without the property: %s", out)
	}
	contains(t, tested("-Dprofarc.archive=no.parc", "-Dprofarc.command=no-such-command"),
		"profarc: no archive of the tests: ")
	contains(t, tested("-Dprofarc.archive=tests.parc"), "wrote  tests.parc: ")
	onStdout := must(t, folder, "sh", "-c", `java -Dprofarc.archive=again.parc -cp "classes:$0*" `+
		"org.junit.platform.console.ConsoleLauncher --select-class=WordsTest 2>errors", jars)
	contains(t, read(t, folder, "errors"), "wrote  again.parc: ")
	if strings.Contains(onStdout, "again.parc") {
		t.Errorf("the dump writes to stdout: %s", onStdout)
	}
	must(t, folder, "profarc", "show", "tests.parc", "--class", "WordsTest", "--method", "count")
}
