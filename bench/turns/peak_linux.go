package turns

import (
	"os"
	"syscall"
)

// peak returns the most memory that a process had, in bytes.
func peak(p *os.ProcessState) int64 {
	if r, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(r.Maxrss) << 10
	}
	return 0
}
