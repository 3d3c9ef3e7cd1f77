package methods

import "testing"

// TestMarksInNames checks which keys are names with the mark of a caller, and which are contexts with a mistake.
func TestMarksInNames(t *testing.T) {
	t.Parallel()
	for spelled, callers := range map[string]int{
		"A::m <- B::n @5":     1,
		"A::m<-x":             0,
		`"x_<-a \x01*$"`:      0,
		`"a <- b"`:            0,
		"A::m <- B::n":        -1,
		"A::m<-B::n@5":        -1,
		"A::m <- B @1 <- C@2": 2,
	} {
		key, sites, err := MethodAndCallers(spelled, nil)
		if (err != nil) != (callers < 0) || err == nil && (len(sites) != callers || key == "") {
			t.Errorf("%s: key %q, %d callers, %v", spelled, key, len(sites), err)
		}
	}
}
