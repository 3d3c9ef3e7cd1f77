package compare

import "testing"

// TestPanicReachesTheCaller checks that a panic in a goroutine reaches the caller, who can recover from it.
func TestPanicReachesTheCaller(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = (&comparison{}).addUpCounts() // without archives
}
