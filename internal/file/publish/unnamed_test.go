package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestUnnamedFiles(t *testing.T) {
	for name, create := range map[string]func(string) (*os.File, error){
		"the system's own":   CreateUnnamed,
		"created, then gone": createAndRemove,
	} {
		folder := t.TempDir()
		f, err := create(folder)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if runtime.GOOS != "windows" {
			wantFolder(t, folder, nil)
		}
		got := make([]byte, 7)
		_, err1 := f.WriteString("profile")
		_, err2 := f.ReadAt(got, 0)
		if err := errors.Join(err1, err2, f.Close()); err != nil || string(got) != "profile" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestUnnamedFileInMissingFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "none")
	_, err := CreateUnnamed(folder)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), folder+": create the folder first") {
		t.Error(err)
	}
}
