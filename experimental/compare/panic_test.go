package compare

import "testing"

// A panic in a sum of one archive is one of the caller, which can recover from it.
func TestPanicReachesTheCaller(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = (&comparison{}).addUp() // of no archives
}
