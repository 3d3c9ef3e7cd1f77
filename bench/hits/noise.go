package main

// loopTable has more bytes than the nearest caches, so that the fixed loop notices others
// who use the memory as well as others who use the processor.
var loopTable = func() []uint32 {
	t := make([]uint32, 1<<20)
	at := uint32(0)
	for range t { // one cycle through all of it, in leaps
		t[at] = (at + 611953) % uint32(len(t))
		at = t[at]
	}
	return t
}()

var loopSink uint64

// fixedLoop returns the time that the same work takes each time: half of it computes, and
// half of it waits for memory.
func fixedLoop() float64 {
	begin := threadTime()
	x := uint64(1)
	for range 500_000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	at := uint32(0)
	for range 40_000 {
		at = loopTable[at]
	}
	loopSink += x + uint64(at)
	return float64(threadTime() - begin)
}
