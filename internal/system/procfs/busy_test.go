package procfs

import (
	"runtime"
	"testing"
	"time"
)

func TestBusyTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"cpu  7 1 2 100 50 3 4 5 6 6\ncpu0 1": 220 * time.Millisecond, "cpu 1 2 3 4 5 6 7\n": 190 * time.Millisecond,
		"": 0, "cpu 1 2": 0, "cpu 1 2 3 4 5 6 x": 0, "cpu0 1 2 3 4 5 6 7 8": 0, "cpu -1 2 3 4 5 6 7": 0,
	} {
		if got := parseBusyTime([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if busy := BusyTime(); runtime.GOOS == "linux" && busy <= 0 {
		t.Errorf("this machine has worked for %v", busy)
	}
}
