//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestMain lets the test's program be the one of a VM.
func TestMain(m *testing.M) {
	for _, arg := range os.Args[1:] {
		if arg == "-read" || arg == "-adopt" {
			main()
			return
		}
	}
	os.Exit(m.Run())
}

// TestContainersShareArchive pushes an archive, and lets containerd mount it in containers. The memory of all of them
// is that of one, and with copies it is not.
func TestContainersShareArchive(t *testing.T) {
	full.Only(t, "starts containers")
	for _, program := range []string{"containerd", "ctr", "runc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("containerd is not installed")
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("containers need root here")
	}
	const functions, pods = 5000, 3
	trained := filepath.Join(t.TempDir(), archiveName)
	if err := train(t.Context(), trained, functions); err != nil {
		t.Fatal(err)
	}
	n, err := startNode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.stop(); err != nil {
			t.Error(err)
		}
	}()
	mounted, err := n.mountVolumes(t.Context(), trained, pods)
	if err != nil {
		if strings.Contains(err.Error(), "operation not permitted") {
			t.Skip("no file system can be mounted here: ", err)
		}
		t.Fatal(err)
	}
	copies, size, err := unpackCopies(t.Context(), trained, t.TempDir(), pods)
	if err != nil {
		t.Fatal(err)
	}
	shared, _, err := measureVMs(t.Context(), n.startVM, "read", mounted, pods, functions)
	if err != nil {
		t.Fatal(err)
	}
	copied, _, err := measureVMs(t.Context(), n.startVM, "read", copies, pods, functions)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("an archive of %d bytes has %d in %d containers, and copies have %d", size, shared, pods, copied)
	if shared > size+size/10 || copied < 2*size {
		t.Errorf("%d bytes of memory for an archive of %d in %d containers, %d for copies", shared, size, pods, copied)
	}
}
