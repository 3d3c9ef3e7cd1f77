// Package fullfs runs test programs on a full tmpfs.
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

// script mounts the file system in its own mount namespace, fills it, and runs a program.
const mountScript = `
mkdir full && mount -t tmpfs -o size=256k none full && cp app.parc full || exit 99
dd if=/dev/zero of=full/filler bs=4096 2>/dev/null
"$@"
code=$?
ls -A full >listing && cp full/app.parc after.parc || exit 99
exit $code
`

// Run runs a program in dir. It mounts a file system at dir/full, copies app.parc to it and fills it. The program must
// not change the files there. Run skips the test if it cannot mount a file system.
func Run(t testing.TB, dir string, env []string, program ...string) (output string, err error) {
	t.Helper()
	if err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", dir).Run(); err != nil {
		t.Skip("no file system can be mounted here:", err)
	}
	command := exec.Command("unshare", slices.Concat([]string{"-rm", "sh", "-c", mountScript, "sh"}, program)...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	if listing := readFile(t, dir, "listing"); strings.Join(strings.Fields(string(listing)), " ") != "app.parc filler" {
		t.Errorf("files %q are left", listing)
	}
	if !bytes.Equal(readFile(t, dir, "app.parc"), readFile(t, dir, "after.parc")) {
		t.Error("the archive has changed")
	}
	return string(out), err
}

func readFile(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
