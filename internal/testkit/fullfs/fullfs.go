// Package fullfs runs programs of tests on a file system in memory, such as /dev/shm, that has no space left.
package fullfs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script mounts the file system, which no other process sees, fills it up, and runs a program.
const script = `
mkdir full && mount -t tmpfs -o size=256k none full && cp app.parc full || exit 99
dd if=/dev/zero of=full/filler bs=4096 2>/dev/null
"$@"
code=$?
ls -A full >listing && cp full/app.parc after.parc || exit 99
exit $code
`

// Run runs a program in a directory. Its file app.parc is copied to the directory full there, which has no space for
// another byte. Run holds that the program leaves full as it was, and skips the test where no file system can be
// mounted.
func Run(t testing.TB, dir string, env []string, program ...string) (output string, err error) {
	t.Helper()
	if err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", dir).Run(); err != nil {
		t.Skip("no file system can be mounted here:", err)
	}
	command := exec.Command("unshare", slices.Concat([]string{"-rm", "sh", "-c", script, "sh"}, program)...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	if listing := read(t, dir, "listing"); strings.Join(strings.Fields(string(listing)), " ") != "app.parc filler" {
		t.Errorf("files %q are left", listing)
	}
	if !bytes.Equal(read(t, dir, "app.parc"), read(t, dir, "after.parc")) {
		t.Error("the archive has changed")
	}
	return string(out), err
}

func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
