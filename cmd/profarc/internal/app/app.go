// Package app provides advice about errors of formats, reports of losses, and a limit on printed output, which several
// commands share.
package app

import (
	"io"

	"github.com/profarc/profarc/internal/cli"
)

// New returns the App of profarc, which reads from in and prints to s.
func New(in io.Reader, s cli.Streams) *cli.App {
	a := cli.New("profarc", in, s)
	a.Advice = advice.For
	return a
}

// Message returns the text of an error for users, with its remedy if there is one.
func Message(err error) string { return cli.Message(err, advice.For) }
