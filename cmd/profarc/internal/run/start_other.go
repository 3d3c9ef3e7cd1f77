//go:build !unix

package run

import (
	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
)

// replaceProcess fails, since processes of this system cannot become another program.
func replaceProcess(javacommand.Start) error { return agentlib.ErrPlatform }
