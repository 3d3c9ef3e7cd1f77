package ratios

import (
	"runtime"
	"sync"

	"github.com/profarc/profarc/internal/system/cputime"
)

// loopTable exceeds the inner caches, so that the time of the fixed loop depends on other users of the memory and of
// the processor.
var loopTable = sync.OnceValue(func() []uint32 {
	t := make([]uint32, 1<<20)
	at := uint32(0)
	for range t { // one cycle through all elements with a large stride
		t[at] = (at + 611953) % uint32(len(t))
		at = t[at]
	}
	return t
})

// FixedLoop returns the time of a fixed amount of work, half computation and half memory accesses. Since the previous
// turn evicted the table from the caches, it walks the table twice and measures the second walk.
func FixedLoop() float64 {
	walkLoop()
	begin := cputime.ThreadTime()
	x := uint64(1)
	for range 500_000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
	walkLoop()
	return float64(cputime.ThreadTime() - begin)
}

func walkLoop() {
	table := loopTable()
	at := uint32(0)
	for range 40_000 {
		at = table[at]
	}
	runtime.KeepAlive(at)
}
