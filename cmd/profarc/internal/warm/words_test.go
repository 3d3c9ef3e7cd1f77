package warm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
	"github.com/profarc/profarc/internal/testkit/full"
)

func TestWordsOfAFailedRun(t *testing.T) {
	t.Parallel()
	first := &warmup.Run{Text: []byte("89\n"), Last: []byte("89\n"), Errors: []byte("warning: old\n")}
	for _, c := range []struct{ name, last, errors, want string }{
		{"on stdout", "89\n[1.4s][error][cds] Error: non-empty directory 'w'\nHint: enable -Xlog\nCannot have non-empty " +
			"directory in paths\n", "warning: old\n", ": [1.4s][error][cds] Error: non-empty directory 'w'; Cannot have " +
			"non-empty directory in paths: put the classes into a jar"},
		{"on stderr", "89\n", "warning: old\nException in thread \"main\"", ": Exception in thread \"main\""},
		{"nothing new", "89\n", "warning: old\n", ""},
		{"the last three", "a\nb\nc\nd", "", ": b; c; d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := &warmup.Run{Text: []byte(c.last), Last: []byte(c.last), Errors: []byte(c.errors)}
			if got := lastWords(run, first); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestFolderForAppCDS: the report has what a JVM says of folders, and all rows have an interval.
func TestFolderForAppCDS(t *testing.T) {
	full.Only(t, "starts JVMs")
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no javac: put that of a JDK on the path")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "Hello.java")
	text := `public class Hello { public static void main(String[] a) { System.out.println("hello"); } }`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(javac, "-d", dir, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := warm(t, t.Context(), "-n", "2", "--only", "plain,appcds,c1", "--", "java", "-cp", dir, "Hello")
	if r.err != nil {
		t.Fatal(r.err, r.errOut)
	}
	has(t, r.out, "Cannot have non-empty directory in paths: put the classes into a jar", "95% interval")
	for _, m := range r.report.Measures {
		for _, x := range m.Rows {
			if x.Confidence != 0.5 || x.Low != x.Least || x.High != x.Most {
				t.Errorf("%s of %s: %v to %v with %v", m.Name, x.Contender, x.Low, x.High, x.Confidence)
			}
		}
		if n := strings.Count(r.out, "(50%)"); n < len(m.Rows) {
			t.Error(fmt.Sprint(n, " intervals say that their confidence is less"))
		}
	}
}
