package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/hotspot/compilelog"
)

// A compileLogs is the folder of the JVMs' compilation logs. A nil one requests no logs.
type compileLogs struct{ dir string }

// newCompileLogs creates the folder next to the archive, since logs can be large.
func newCompileLogs(archive string) (*compileLogs, error) {
	beside, err := filepath.Abs(filepath.Dir(archive))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(beside, ".profarc-inlining-")
	return &compileLogs{dir}, err
}

// toolOptions is the variable with options for every JVM.
const toolOptions = "JAVA_TOOL_OPTIONS"

// environment returns the environment of the command; nil for the environment of this process.
func (c *compileLogs) environment() []string {
	if c == nil {
		return nil
	}
	options := fmt.Sprintf(`-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation "-XX:LogFile=%s"`,
		filepath.Join(c.dir, "%p.log"))
	if own := os.Getenv(toolOptions); own != "" {
		options = own + " " + options
	}
	return append(os.Environ(), toolOptions+"="+options)
}

// readLog reads and removes the log of a JVM. pid is its id in its own namespace, which the VM writes for %p. If there
// is no log, why explains it.
func (c *compileLogs) readLog(ctx context.Context, pid uint64) (nodes []compilelog.Node, why string) {
	if c == nil {
		return nil, ""
	}
	path := filepath.Join(c.dir, fmt.Sprintf("pid%d.log", pid))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "the JVM has written no log: it was killed, or takes no options from " + toolOptions
	}
	if err == nil {
		defer os.Remove(path)
		defer f.Close()
		nodes, err = compilelog.Read(ctx, f, path)
	}
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), c.dir+string(filepath.Separator))
	}
	return nodes, ""
}

func (c *compileLogs) removeLogs() {
	if c != nil {
		_ = os.RemoveAll(c.dir)
	}
}
