package cputime

import (
	"runtime"
	"testing"
	"time"
)

// TestClocks checks that all clocks go while the processor works and, on Linux, that those
// of the processor stand while it sleeps.
func TestClocks(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, clock := range map[string]func() int64{"wall": WallTime, "thread": ThreadTime, "process": ProcessTime} {
		from, deadline := clock(), time.Now().Add(time.Minute)
		for clock() <= from {
			if time.Now().After(deadline) {
				t.Fatalf("the clock %s stands", name)
			}
		}
	}
	from := ThreadTime()
	time.Sleep(200 * time.Millisecond)
	if slept := ThreadTime() - from; runtime.GOOS == "linux" && slept > int64(100*time.Millisecond) {
		t.Errorf("the thread took %d ns to sleep", slept)
	}
}
