package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The VM and its version, which the edits are for.
const (
	vmModule  = "github.com/yuin/gopher-lua"
	vmVersion = "v1.1.1"
)

// downloadVM returns the folder of the VM's source in the module cache.
func downloadVM() (dir string, err error) {
	download := exec.Command("go", "mod", "download", "-json", vmModule+"@"+vmVersion)
	download.Dir = os.TempDir() // no module
	download.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	text, err := download.Output()
	var module struct{ Dir, Error string }
	if json.Unmarshal(text, &module) == nil && module.Error != "" {
		return "", fmt.Errorf("download %s %s: %s", vmModule, vmVersion, module.Error)
	}
	if err != nil {
		return "", fmt.Errorf("download %s %s: %w", vmModule, vmVersion, err)
	}
	return module.Dir, nil
}

// copyVM copies the Go files of the VM without its tests, and gives it a go.mod without requirements.
func copyVM(from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), "_")
		switch {
		case d.IsDir() && (hidden || d.Name() == "cmd"):
			return fs.SkipDir
		case d.IsDir() || hidden || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(to, name), text)
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(to, "go.mod"), []byte("module "+vmModule+"\n\ngo 1.17\n"))
}

func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}
