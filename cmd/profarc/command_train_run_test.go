package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/hotspot/live"
)

// A JVM that starts and one that was damaged look alike, but for what they do.
func TestUnreadable(t *testing.T) {
	err := fmt.Errorf("process 7: %w", live.ErrStructure)
	if got := unreadable(err, true); !strings.Contains(got, "still starting") {
		t.Error(got)
	}
	if got := unreadable(err, false); !strings.Contains(got, "ended before its VM had started") {
		t.Error(got)
	}
}
