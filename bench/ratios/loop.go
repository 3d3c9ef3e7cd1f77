package ratios

import (
	"runtime"
	"sync"

	"github.com/profarc/profarc/internal/system/cputime"
)

// loopTable has more bytes than the nearest caches, so that the fixed loop notices others
// who use the memory as well as others who use the processor.
var loopTable = sync.OnceValue(func() []uint32 {
	t := make([]uint32, 1<<20)
	at := uint32(0)
	for range t { // one cycle through all of it, in leaps
		t[at] = (at + 611953) % uint32(len(t))
		at = t[at]
	}
	return t
})

// FixedLoop returns the time that the same work takes each time: half of it computes, and
// half of it waits for memory. Whatever ran before it took the table out of the caches,
// so that it walks twice, and the second time counts.
func FixedLoop() float64 {
	walkLoop()
	begin := cputime.Thread()
	x := uint64(1)
	for range 500_000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
	walkLoop()
	return float64(cputime.Thread() - begin)
}

func walkLoop() {
	table := loopTable()
	at := uint32(0)
	for range 40_000 {
		at = table[at]
	}
	runtime.KeepAlive(at)
}
