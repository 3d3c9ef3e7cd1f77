//go:build !unix

package launch

import "github.com/profarc/profarc/internal/agentlib"

// exec fails: no process of this system can become another program.
func (s start) exec() error { return agentlib.ErrPlatform }
