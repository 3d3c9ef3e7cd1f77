package agentlib

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

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

// storeAnswer stores the answer. Errors are ignored.
func (a loadAnswer) storeAnswer() {
	if a.path != "" && os.MkdirAll(filepath.Dir(a.path), 0o700) == nil {
		_ = os.WriteFile(a.path, []byte(a.text), 0o600)
	}
}
