package disk_test

import (
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
)

func TestSaturating(t *testing.T) {
	if got := disk.SaturatingAdd(1<<63, 1<<63); got != 1<<64-1 {
		t.Errorf("2^63 + 2^63 is %d", got)
	}
	if got := disk.SaturatingAdd(2, 3); got != 5 {
		t.Errorf("2 + 3 is %d", got)
	}
}
