package main

import (
	"context"
	"sync/atomic"
)

// A counting context counts how often it is asked whether it has ended, and ends
// when it was asked a number of times, if that is not 0.
type counting struct {
	context.Context
	asked atomic.Uint64
	most  uint64
}

func (c *counting) Err() error {
	if n := c.asked.Add(1); c.most != 0 && n >= c.most {
		return context.Canceled
	}
	return nil
}
