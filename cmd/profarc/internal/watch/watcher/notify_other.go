//go:build !linux

package watcher

import (
	"context"
	"time"
)

// rescan is how often the folder is read: here no change is announced.
const rescan = settling

// A notifier does nothing but wait.
type notifier struct{}

func openNotifier(string) (*notifier, error) { return &notifier{}, nil }

func (*notifier) close() {}

// wait waits, and reports whether ctx is still not done.
func (*notifier) wait(ctx context.Context, most time.Duration) bool { return sleep(ctx, most) }
