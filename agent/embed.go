// Package agent holds the C sources of the agent for HotSpot. The command builds them
// with the compiler of the machine, together with the sources of package c.
//
// The go command compiles no C here: each .c file begins with a line "//go:build ignore",
// which it obeys and a C compiler takes for a comment.
package agent

import "embed"

// Sources are the .c and .h files of this folder.
//
//go:embed *.c *.h
var Sources embed.FS
