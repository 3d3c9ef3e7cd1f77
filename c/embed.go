// Package c holds the C sources of libprofarc, from which the agent for HotSpot is built on the machine that runs it.
package c

import "embed"

// Sources are the folders include and src.
//
//go:embed include src
var Sources embed.FS
