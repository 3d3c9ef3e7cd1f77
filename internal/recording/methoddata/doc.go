// Package methoddata assembles MethodData blocks and merges them.
//
// Blocks have the format of the file, but lack links and hold references instead of pointers. The result of a merge
// depends on two blocks, the rules of a run, and the order of the records that references name:
//
//	counts                 are added, saturating at 2^64-1; counters of LLVM at 2^64-3
//	flags, traps           are united; two reasons of a trap become "several", as in the VM
//	keys outside rows      must be equal, or the entries stay separate
//	rows of any kind       are united by key; counts are added, and the highest come first
//	rows of type profiles  the larger number is kept, so that empty rows are not lost
//	type words             equal types are kept; two types become "several were seen"
//	arrays that differ     the longer one is kept, since they belong to different versions
//	compile level, state   the higher one is kept
//	escape analysis        facts that hold in both runs are kept
//
// If the rows of a HotSpot entry do not all fit, it becomes entries of this format:
//
//	ReceiverType                  Receivers
//	VirtualCall, VirtualCallType  Receivers; CallType without a count, for the types of
//	                              arguments; Count, for calls that were not profiled
//	Ret                           Ret without rows; Successors
//
// These Receivers have as many rows as there are types, and at least as many as the HotSpot entry had. A profile that
// only one run recorded is kept unchanged.
package methoddata
