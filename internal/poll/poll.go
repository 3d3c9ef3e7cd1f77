// Package poll asks contexts now and then whether they have ended: long loops
// take much less time for a step than the question does.
package poll

import "context"

// every is how many steps are taken between two questions. A step takes some
// microseconds at most.
const every = 256

// A Poll is the context of one goroutine's loops.
type Poll struct {
	ctx   context.Context
	steps uint
}

// New makes a Poll that asks ctx.
func New(ctx context.Context) *Poll { return &Poll{ctx: ctx} }

// Err counts a step. Every so many steps it gives the error of the context, nil
// as long as that has not ended.
func (p *Poll) Err() error {
	if p.steps++; p.steps%every != 0 {
		return nil
	}
	return p.ctx.Err()
}
