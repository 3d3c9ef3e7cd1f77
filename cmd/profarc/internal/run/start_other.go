//go:build !unix

package run

import (
	"github.com/profarc/profarc/cmd/profarc/internal/program"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
)

// replaceProcess fails: no process of this system can become another program.
func replaceProcess(program.Start) error { return agentlib.ErrPlatform }
