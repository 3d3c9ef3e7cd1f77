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

// compileLogs are the logs in which the JVMs of a command say what they inline. A nil one asks for none.
type compileLogs struct{ dir string }

// newCompileLogs makes a folder for the logs next to an archive: they can be large.
func newCompileLogs(archive string) (*compileLogs, error) {
	beside, err := filepath.Abs(filepath.Dir(archive))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(beside, ".profarc-inlining-")
	return &compileLogs{dir}, err
}

// toolOptions is the variable with options that every JVM takes.
const toolOptions = "JAVA_TOOL_OPTIONS"

// environment returns the environment of the command, nil for this process's.
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

// readLog reads the log of a JVM, and removes it. The VM writes pid and its number for %p; pid is its number
// where it runs. why says why its inlining is not known.
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

// removeLogs removes all logs.
func (c *compileLogs) removeLogs() {
	if c != nil {
		_ = os.RemoveAll(c.dir)
	}
}
