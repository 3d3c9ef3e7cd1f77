//go:build !unix

package run

import (
	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
)

// replaceProcess fails: no process of this system can become another program.
func replaceProcess(javacommand.Start) error { return agentlib.ErrPlatform }
