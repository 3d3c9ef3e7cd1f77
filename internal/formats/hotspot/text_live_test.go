package hotspot

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/testkit/full"
)

// The tests of this file run a JVM. The first is the one of JAVA_HOME, or on
// the path; the second the one of JAVA25_HOME, or next to others.

// findJVM returns the folder of a JVM's commands, empty if there is none.
func findJVM(home string, patterns ...string) string {
	if dir := os.Getenv(home); dir != "" {
		return filepath.Join(dir, "bin")
	}
	for _, p := range patterns {
		if found, _ := filepath.Glob(p); len(found) > 0 {
			return filepath.Join(found[0], "bin")
		}
	}
	return ""
}

func firstJVM() string {
	if dir := findJVM("JAVA_HOME"); dir != "" {
		return dir
	}
	if java, err := exec.LookPath("java"); err == nil {
		return filepath.Dir(java)
	}
	return ""
}

func secondJVM() string { return findJVM("JAVA25_HOME", "/usr/lib/jvm/*25*") }

// classFolder is where compile puts the classes.
var classFolder string

// compile compiles the program of the tests with the first compiler found.
var compile = sync.OnceValues(func() (classes string, err error) {
	if classes, err = os.MkdirTemp("", "everykind"); err != nil {
		return "", err
	}
	classFolder = classes
	cmd := exec.Command(filepath.Join(firstJVM(), "javac"), "-encoding", "UTF-8", "-d", classes,
		filepath.Join("testdata", "EveryKind.java"))
	_, err = cmd.CombinedOutput()
	return classes, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if classFolder != "" {
		_ = os.RemoveAll(classFolder)
	}
	os.Exit(code)
}

// run runs the program in a JVM and returns its output.
func run(t *testing.T, bin string, flags ...string) string {
	t.Helper()
	classes, err := compile()
	if err != nil {
		t.Skipf("cannot compile the program: %v", err)
	}
	args := append([]string{"-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintMethodData"}, flags...)
	cmd := exec.Command(filepath.Join(bin, "java"), append(args, "-cp", classes, "EveryKind")...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	return string(out)
}

var jvms = map[string]func() string{"live17": firstJVM, "live25": secondJVM}

// recorded returns the text of one run in a JVM; ok is false if there is no such JVM.
func recorded(t *testing.T, name string) (text string, ok bool) {
	bin := jvms[name]()
	if _, err := exec.LookPath(filepath.Join(bin, "java")); bin == "" || err != nil {
		return "", false
	}
	return run(t, bin), true
}

func TestLive(t *testing.T) {
	full.Only(t, "starts JVMs")
	for name, find := range jvms {
		t.Run(name, func(t *testing.T) {
			bin := find()
			if _, err := exec.LookPath(filepath.Join(bin, "java")); bin == "" || err != nil {
				t.Skip("no such JVM: set JAVA_HOME and JAVA25_HOME")
			}
			t.Run("default", func(t *testing.T) { checkLive(t, run(t, bin)) })
			t.Run("types", func(t *testing.T) { checkLive(t, run(t, bin, "-XX:TypeProfileLevel=222")) })
			t.Run("width", func(t *testing.T) {
				report := checkLive(t, run(t, bin, "-XX:TypeProfileWidth=4"))
				if params := paramsOf(report); params.TypeProfileWidth != 4 {
					t.Errorf("%d receiver rows", params.TypeProfileWidth)
				}
			})
			t.Run("log", func(t *testing.T) {
				log := filepath.Join(t.TempDir(), "log.xml")
				run(t, bin, "-XX:+LogVMOutput", "-XX:-DisplayVMOutput", "-XX:LogFile="+log)
				text, err := os.ReadFile(log)
				if err != nil {
					t.Fatal(err)
				}
				checkLive(t, string(text))
			})
		})
	}
}

// checkCodeIDs compares the code ids of the program's methods with those of its class files.
func checkCodeIDs(t *testing.T, text string) {
	t.Helper()
	dump, _, err := parseText(strings.NewReader(text), "", false)
	classes, openErr := classfile.Open([]string{classFolder}, 0)
	if err != nil || openErr != nil {
		t.Fatal(err, openErr)
	}
	defer classes.Close()
	compared := 0
	for _, m := range dump.methods {
		class, err := classes.Class(m.class)
		if class == nil || err != nil {
			continue
		}
		declared, ok := class.Method(m.name, m.signature)
		if compared++; !ok || bytecode.CodeID(declared.Code) != m.code {
			t.Errorf("%s has another code id than its class file", m.label())
		}
	}
	if compared < 10 {
		t.Errorf("only %d methods were compared", compared)
	}
}

// checkLive also checks that the program did its work.
func checkLive(t *testing.T, text string) *codec.Report {
	t.Helper()
	for _, kind := range []string{"Counter", "Jump", "Branch", "MultiBranch", "ReceiverType", "VirtualCall"} {
		if !strings.Contains(text, kind+"Data ") {
			t.Errorf("no %sData in the text", kind)
		}
	}
	report := checkText(t, text)
	checkCodeIDs(t, text)
	if report.Facts["hidden_classes"] == 0 || report.Lost.Count(LossUnknownKind)+report.Lost.Count(LossUnknownReason) > 0 {
		t.Errorf("report: %+v", report)
	}
	return report
}
