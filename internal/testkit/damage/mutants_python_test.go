package damage

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A pythonReader gives archives to the reader of testdata/v1, many at a time, since Python takes long to start.
type pythonReader struct {
	dir     string // where archives are written to
	changes []any
	paths   []string
	dumps   [][]byte // what it must print of each
}

// add takes an archive, its changes and its JSON dump, and reports whether there are enough to ask.
func (p *pythonReader) add(t *testing.T, changes any, archive, dumped []byte) bool {
	t.Helper()
	path := filepath.Join(p.dir, fmt.Sprintf("python-%d.parc", len(p.paths)))
	if err := os.WriteFile(path, archive, 0o666); err != nil {
		t.Fatal(err)
	}
	p.changes = append(p.changes, fmt.Sprint(changes))
	p.paths, p.dumps = append(p.paths, path), append(p.dumps, dumped)
	return len(p.paths) == 64
}

// ask compares what the reader in Python finds wrong with the archives, and what it prints of them.
func (p *pythonReader) ask(t *testing.T, complain func(t *testing.T, changes any, who, what string)) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err == nil && len(p.paths) > 0 {
		checked := strings.Split(p.run(python, "check", append(p.paths, os.DevNull)...), "\n")
		all := p.run(python, "json", append(p.paths, os.DevNull)...)
		same := strings.HasPrefix(all, string(bytes.Join(p.dumps, nil)))
		for i, path := range p.paths {
			if i >= len(checked) || checked[i] != path+": sound" {
				complain(t, p.changes[i], "the reader in Python", strings.TrimPrefix(checked[min(i, len(checked)-1)], path))
			} else if !same && p.run(python, "json", path) != string(p.dumps[i]) {
				complain(t, p.changes[i], "the reader in Python", "prints something else")
			}
		}
	}
	p.changes, p.paths, p.dumps = nil, nil, nil
}

func (p *pythonReader) run(python, command string, paths ...string) string {
	program := append([]string{"-B", dir + "/reader/profarc.py", command}, paths...)
	out, _ := exec.Command(python, program...).Output() // it fails for os.DevNull, which is no archive
	return string(out)
}
