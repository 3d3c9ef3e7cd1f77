package agentlib

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

var elfMachines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

func checkObject(library string) error {
	f, err := elf.Open(library)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return err
	case err != nil:
		return fmt.Errorf("%s: it is no library of the agent", library)
	}
	defer f.Close()
	if f.Type != elf.ET_DYN || f.Machine != elfMachines[runtime.GOARCH] {
		return fmt.Errorf("%s: it is a library for another machine (%v, %v), and this is %s", library, f.Type, f.Machine,
			runtime.GOARCH)
	}
	return nil
}

// CheckLoads asks the dynamic linker of a program, such as java, whether it can load the library, since a VM that
// cannot does not start. The program may use another or older C library than the build. A program that is not an ELF
// file, such as a script, is not checked. A positive answer is stored in the user's cache until the library or the
// linker changes.
func CheckLoads(ctx context.Context, library, program string) error {
	linker := dynamicLinker(program)
	if linker == "" {
		return nil
	}
	kept := newLoadAnswer(library, linker)
	if kept.isStored() {
		return nil
	}
	if err := askLinker(ctx, linker, library, program); err != nil {
		return err
	}
	kept.storeAnswer()
	return nil
}

func askLinker(ctx context.Context, linker, library, program string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := runCommand(ctx, "", linker, "--list", library)
	if err != nil {
		return fmt.Errorf("%s: it cannot be loaded by %s (%w): %s", library, program, err,
			firstLineWith(out, "not found", "error"))
	}
	return nil
}

func dynamicLinker(program string) string {
	f, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP || p.Filesz > 4096 {
			continue
		}
		name := make([]byte, p.Filesz)
		if _, err := p.ReadAt(name, 0); err != nil {
			return ""
		}
		return string(bytes.TrimRight(name, "\x00"))
	}
	return ""
}

type fileID struct {
	path           string // path without symbolic links
	size, modified int64  // size in bytes, modification time in nanoseconds
}

func identifyFile(path string) (fileID, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fileID{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fileID{}, err
	}
	return fileID{path, info.Size(), info.ModTime().UnixNano()}, nil
}

// A loadAnswer is a cache file that records that a linker can load a library. Asking takes some milliseconds of each
// start. If nothing can be stored, the linker is asked each time.
type loadAnswer struct{ path, text string }

func newLoadAnswer(library, linker string) loadAnswer {
	folder, err := userCacheFolder()
	l, libraryErr := identifyFile(library)
	k, linkerErr := identifyFile(linker)
	if err != nil || libraryErr != nil || linkerErr != nil {
		return loadAnswer{}
	}
	name := sha256.Sum256(fmt.Appendf(nil, "%q %q", l.path, k.path))
	return loadAnswer{filepath.Join(folder, fmt.Sprintf("loads-%x", name[:8])), fmt.Sprintf("%v %v\n", l, k)}
}

func (a loadAnswer) isStored() bool {
	text, err := os.ReadFile(a.path)
	return err == nil && string(text) == a.text
}

func (a loadAnswer) storeAnswer() {
	if a.path != "" && os.MkdirAll(filepath.Dir(a.path), 0o700) == nil {
		_ = os.WriteFile(a.path, []byte(a.text), 0o600)
	}
}
