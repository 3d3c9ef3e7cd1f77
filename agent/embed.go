// Package agent holds the C sources of the agent for HotSpot. The command builds them
// with the compiler of the machine, together with the sources of package c.
//
// Each .c file begins with "//go:build ignore", so that the go command does not compile it.
package agent

import "embed"

// Sources are the .c and .h files of this folder.
//
//go:embed *.c *.h
var Sources embed.FS
