package lint

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// mayOpenFiles has the files of commands that open files by themselves, and why.
var mayOpenFiles = map[string]string{
	"internal/cli/file.go":                      "the door",
	"fleet/internal/blobs/lock_unix.go":         "a lock, which it creates",
	"internal/cli/outputlock/lock_linux.go":     "a lock, opened without waiting",
	"internal/cli/outputlock/lock_other.go":     "a lock",
	"fleet/internal/folderwatch/inuse_linux.go": "files in the watched folder, opened without waiting, and /proc",
	"fleet/internal/folderwatch/inuse_other.go": "files in the watched folder, found to be ordinary",
	"cmd/profarc/internal/warm/session.go":      "the agent's report in the command's own folder",
	"cmd/profarc/internal/warm/training.go":     "the VM's log in the command's own folder",
}

// TestCommandsOpenFilesByOneDoor checks that commands open the files that arguments name with cli.OpenFile and
// cli.ReadSmallFile, which neither wait for good nor fill the memory.
func TestCommandsOpenFilesByOneDoor(t *testing.T) {
	startInRoot(t)
	seen := map[string]bool{}
	eachFile(t, 0, func(name string, file *ast.File) {
		ofCommands := strings.HasPrefix(name, "cmd/profarc/") || strings.HasPrefix(name, "internal/cli/") ||
			strings.HasPrefix(name, "fleet/cmd/") || strings.HasPrefix(name, "fleet/internal/")
		if !ofCommands || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "fleet/internal/testregistry/") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			f, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Open", "OpenFile", "ReadFile"}, f.Sel.Name) {
				return true
			}
			if of, ok := f.X.(*ast.Ident); !ok || of.Name != "os" {
				return true
			}
			seen[name] = true
			if mayOpenFiles[name] == "" {
				t.Errorf("%s: os.%s: use cli.OpenFile or cli.ReadSmallFile", name, f.Sel.Name)
			}
			return true
		})
	})
	for name := range mayOpenFiles {
		if !seen[name] {
			t.Errorf("%s opens no file any more: take it from the list", name)
		}
	}
}
