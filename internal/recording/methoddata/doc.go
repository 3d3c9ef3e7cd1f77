// Package methoddata assembles MethodData blocks and merges them.
//
// Blocks have here what they will have in the file, but for their links, and for
// references in the place of pointers. A merge is a function of two blocks, the
// rules of a run, and an order of what the references stand for:
//
//	counts                 are summed, saturating at 2^64-1; LLVM's counters at 2^64-3
//	flags, traps           are united; two reasons of a trap become "several", as in the VM
//	keys that stand once   say what an entry is of: entries with others stay apart
//	rows of any kind       are united by their keys; counts are summed, the highest first
//	rows of type profiles  the larger number stays, so that empty rows are not lost
//	type words             the same type stays; two types become "several were seen"
//	arrays of other sizes  the longer is kept, as of another version
//	compile level, state   the higher is kept
//	escape analysis        what holds in both runs is kept
//
// A HotSpot entry whose rows do not all fit becomes entries of this format:
//
//	ReceiverType                  Receivers
//	VirtualCall, VirtualCallType  Receivers; CallType without a count, for the types of
//	                              arguments; Count, for calls that were not profiled
//	Ret                           Ret without rows; Successors
//
// These Receivers have as many rows as types or, if that is more, as the HotSpot entry
// had. A profile that only one run recorded stays as it was recorded.
package methoddata
