package verify

// For tests: the proof alone, and the slow check alone.
var (
	Prove   = prove
	Examine = examine
	Proven  = proven
)
