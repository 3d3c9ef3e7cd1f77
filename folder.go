package profarc

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// unusedAfter is the age from which StartIn removes an archive that no start has used.
const unusedAfter = 30 * 24 * time.Hour

// StartIn is like Start for a folder with the archives of many VMs, such as one in os.UserCacheDir. The name of the
// archive is the VM's ID in hexadecimal, with the extension .parc. StartIn creates the folder if necessary, and marks
// the archive as used by its time of modification. It removes archives with such names, and temporary files, that were
// last used more than 30 days ago. Dump with the path "" writes the archive.
func StartIn(dir string, vm VM) (*Run, error) {
	made := os.MkdirAll(dir, 0o755)
	name := hex.EncodeToString(vm.ID[:]) + ".parc"
	path := filepath.Join(dir, name)
	_ = os.Chtimes(path, time.Time{}, time.Now()) // it may not exist
	removeUnused(dir, name)
	r, err := Start(path, vm)
	return r, cmp.Or(made, err)
}

// removeUnused removes old archives and temporary files of a folder, except the archive to keep. It ignores errors.
func removeUnused(dir, keep string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		archived, _ := filepath.Match(strings.Repeat("[0-9a-f]", 32)+".parc", e.Name())
		temporary, _ := filepath.Match(".profarc-*.tmp", e.Name())
		if !archived && !temporary || e.Name() == keep || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > unusedAfter {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// checkTarget returns an error if the file at path is an archive of another VM. A dump replaces damaged archives.
func (r *Run) checkTarget(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // Commit reports it
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, min(info.Size(), maxHeader))
	if _, err := io.ReadFull(f, head); err != nil {
		return nil
	}
	h, err := disk.ParseHeader(head, info.Size())
	if err != nil || h.Domain == layout.DomainCustom && h.ProducerID == r.vm.ID {
		return nil
	}
	return &layout.Error{File: path, Offset: -1, Kind: layout.ErrIdentity,
		Detail: fmt.Sprintf("it is of %q (domain %s, ID %x), and is not replaced", h.Producer, h.Domain, h.ProducerID),
		Advice: "write to another path, or delete the file first"}
}

// maxHeader is enough for the header of any archive.
const maxHeader = 1 << 16
