// Package app holds what the commands of profarc share beyond package cli: what to do about
// errors of formats, what a format has lost, and how much is printed.
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

// Message returns an error as users read it: the fault, and the remedy.
func Message(err error) string { return cli.Message(err, advice.For) }
