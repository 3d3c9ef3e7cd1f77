package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// TestReportForPrometheus compares the two forms of the report of one program, which differ only in times.
func TestReportForPrometheus(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	home := testjvm.First()
	testjvm.Need(t, home)
	classes := testjvm.Compile(t, home, "testdata/Adopted.java")
	archive, dir := train(t, home, classes, 2000), t.TempDir()
	var texts []string
	for _, name := range []string{"report.json", "report.prom"} {
		j := startJVM(t, home, agentFlag(t, archive, ",report="+filepath.Join(dir, name)), "-cp", classes, "Adopted",
			"load")
		j.Await("ready")
		j.End()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	sample := regexp.MustCompile(`(?m)^# HELP (profarc_agent_([a-z_]+)) .+\n# TYPE (\S+) gauge\n(\S+)\{pid="\d+"\} (\d+)\n`)
	all := sample.FindAllStringSubmatch(texts[1], -1)
	if rest := sample.ReplaceAllString(texts[1], ""); rest != "" || len(all) < 30 {
		t.Fatalf("%d metrics and other text: %q", len(all), rest)
	}
	for _, m := range all {
		if m[1] != m[3] || m[1] != m[4] {
			t.Errorf("HELP, TYPE and the number are of %s, %s and %s", m[1], m[3], m[4])
		}
		line := fmt.Sprintf("\"%s\": ", m[2])
		if exact := strings.HasPrefix(m[2], "profiles_") || m[2] == "classes"; exact {
			line += m[5] + ","
		}
		if !strings.Contains(texts[0], line) {
			t.Errorf("the report in JSON has no %q", line)
		}
	}
	adopted := regexp.MustCompile(`(?m)^profarc_agent_methods_adopted\{.*\} (9|\d\d+)$`)
	if !adopted.MatchString(texts[1]) {
		t.Errorf("few methods adopted: %s", texts[1])
	}
}
