package damage

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestMinimalReadersStaySmall bounds the minimal readers, so that a file is read in one sitting.
func TestMinimalReadersStaySmall(t *testing.T) {
	for language, most := range map[string]int{"c": 950, "python": 520} {
		files, err := filepath.Glob(filepath.Join(dir, "minimal", language, "*.*"))
		if err != nil || len(files) < 5 {
			t.Fatalf("%s: %v %v", language, files, err)
		}
		total := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n := bytes.Count(text, []byte("\n"))
			if n > 300 {
				t.Errorf("%s has %d lines, more than 300", file, n)
			}
			total += n
		}
		if total > most {
			t.Errorf("the minimal reader in %s has %d lines, more than %d", language, total, most)
		}
	}
}

// crowded has a required feature, without which a reader refuses it. The minimal readers show this.
const crowded = "crowded.parc"

func checkCrowdedIsRefused(t *testing.T, command ...string) {
	t.Helper()
	const question = "open " + crowded + "\nkey B|m0||\n"
	if have := runReader(t, []byte(question), command...); have != question+"  refused unsupported\n" {
		t.Errorf("a reader without the feature answers %s", have)
	}
}

// TestMinimalReaderInPython compares the answers of testdata/v1/minimal/python with lookups.txt.
func TestMinimalReaderInPython(t *testing.T) {
	full.Only(t, "runs an interpreter on many inputs")
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	command := []string{python, "-B", filepath.Join(dir, "minimal", "python", "minimal.py"), dir}
	checkAnswers(t, command...)
	checkCrowdedIsRefused(t, command...)
}

// TestMinimalReaderInC does the same for testdata/v1/minimal/c.
func TestMinimalReaderInC(t *testing.T) {
	full.Only(t, "runs a compiler")
	t.Parallel()
	program := programOf(t, compileMinimal)
	checkAnswers(t, program, dir)
	checkCrowdedIsRefused(t, program, dir)
}

// checkAnswers runs a reader on lookups.txt, answers included, which it must repeat.
func checkAnswers(t *testing.T, command ...string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(dir, "lookups.txt"))
	if err != nil {
		t.Fatal(err)
	}
	have := strings.Split(runReader(t, want, command...), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(have) || have[i] != line {
			next := have[min(i, len(have)):min(i+3, len(have))]
			t.Fatalf("lookups.txt:%d: want %s, have %s", i+1, line, strings.Join(next, "\n"))
		}
	}
	if len(have) != bytes.Count(want, []byte("\n"))+1 {
		t.Errorf("%d lines are answered with %d", bytes.Count(want, []byte("\n")), len(have)-1)
	}
}

func runReader(t *testing.T, questions []byte, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin = bytes.NewReader(questions)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return string(out)
}

// TestMinimalReaderOnMutants asks the minimal reader in C about many broken archives. If it and the Go reader both
// answer, they agree. Either may refuse more, since each checks some parts of a record that the other does not use.
func TestMinimalReaderOnMutants(t *testing.T) {
	full.Only(t, "runs a compiler")
	t.Parallel()
	index, err := readIndexes()
	if err != nil {
		t.Fatal(err)
	}
	program := programOf(t, compileMinimal)
	for _, s := range index.Sound {
		if s.File == "large.parc" || s.File == crowded {
			continue
		}
		questions, want := mutantQuestions(t, s.File)
		compareAnswers(t, s.File, answersOf(runReader(t, questions, program, dir)), want)
	}
}

// mutantsPerArchive is the number of mutants of each archive.
const mutantsPerArchive = 20

// mutantQuestions returns questions about mutants of an archive, and the Go reader's answers.
func mutantQuestions(t *testing.T, file string) (questions []byte, want []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	asked, err := lookupsOf(data)
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := newMutator(data, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := &lookupWriter{}
	for n := range mutantsPerArchive {
		mutants.Next()
		fmt.Fprintf(&w.out, "# %d\nopen %s\n", n, file)
		for _, e := range mutants.Edits() {
			fmt.Fprintf(&w.out, "edit %d %s\n", e.At, hex.EncodeToString(le.AppendUint64(nil, e.New)))
		}
		for i := n % 3; i < len(asked); i += 3 {
			w.ask(mutants.Bytes(), asked[i])
		}
	}
	return w.out.Bytes(), answersOf(w.out.String())
}

// answersOf returns the answers in a text, each with its question and the edits before it.
func answersOf(text string) (answers []string) {
	opened := ""
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "key "), strings.HasPrefix(line, "id "):
			answers = append(answers, opened+line)
		case strings.HasPrefix(line, "  "):
			answers[len(answers)-1] += line
		case strings.HasPrefix(line, "#"):
			opened = line
		}
	}
	return answers
}

// compareAnswers fails unless the answers agree, or one of them is a refusal.
func compareAnswers(t *testing.T, file string, have, want []string) {
	t.Helper()
	if len(have) != len(want) {
		t.Fatalf("%s: %d answers, want %d", file, len(have), len(want))
	}
	both, either := 0, 0
	for i := range want {
		refusals := 0
		for _, answer := range []string{have[i], want[i]} {
			if strings.Contains(answer, "\n  refused ") {
				refusals++
			}
		}
		if refusals == 0 && have[i] != want[i] {
			t.Errorf("%s: have %s, want %s", file, have[i], want[i])
		}
		both += refusals / 2
		either += refusals % 2
	}
	if both == 0 {
		t.Errorf("%s: no mutant was refused", file)
	}
	t.Logf("%s: %d answers, %d refused by both readers, %d by one", file, len(have), both, either)
}
