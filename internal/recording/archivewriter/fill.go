package archivewriter

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/layout"
)

// An indexFiller fills the lines of an index in turn. It begins with a line into which no earlier line overflows.
type indexFiller struct {
	lines    uint64
	types    uint32 // the records with lower numbers are types
	ix       []byte
	crowded  bool                      // records wait for goodProbe lines only
	waiting  [numRanks][]waitingRecord // records without a slot, the oldest first
	count    int                       // number of waiting records
	maxProbe uint32                    // maximum number of lines that a search reads; 0 if there are no records
	crowd    []uint32                  // numbers of the records that got no slot
}

// Records of a lower rank are stored first. Methods come before types because methods are looked up repeatedly and
// types once. In a crowded archive, records whose hash others have come last, so that they harm no others.
const numRanks = 4

type waitingRecord struct {
	slot   disk.Slot
	bucket uint64 // relative to the line filled first
}

// fillIndex fills the index with the numbers of the records, from 1. The records come in hash order, so the index is
// filled line by line. It stops when it has failed.
func (p *plan) fillIndex(crowded bool) *indexFiller {
	clear(p.ix)
	f := &indexFiller{lines: p.header.Buckets, types: uint32(len(p.o.types)), ix: p.ix, crowded: crowded}
	first, next := f.lineWithoutSpill(p.hashed)
	ordered := p.hashed[next:]
	others := p.hashed[:next]
	for n := range f.lines {
		if len(ordered) == 0 {
			ordered, others = others, nil
		}
		line := (first + n) % f.lines
		arriving := f.countInLine(ordered, line)
		f.fillLine(line, n, ordered[:arriving])
		ordered = ordered[arriving:]
		if f.failed() {
			break
		}
	}
	return f
}

// failed reports whether a search reads more than fairProbe lines, or would.
func (f *indexFiller) failed() bool { return f.maxProbe > fairProbe }

// countInLine returns the number of records at the beginning of sorted whose bucket is a line.
func (f *indexFiller) countInLine(sorted []intern.SortKey, line uint64) (n int) {
	for n < len(sorted) {
		if bucket, _ := disk.Hash(sorted[n].Key).SplitBucket(f.lines); bucket != line {
			break
		}
		n++
	}
	return n
}

// lineWithoutSpill returns a line into which no earlier line overflows, and the index in sorted of the first record of
// this line or a later one. Such a line exists because there are twice as many slots as records.
func (f *indexFiller) lineWithoutSpill(sorted []intern.SortKey) (line uint64, next int) {
	waiting := 0
	for round := range 2 { // the second round carries the overflow of the last line into the first
		next = 0
		for line = range f.lines {
			if round > 0 && waiting == 0 {
				return line, next
			}
			arriving := f.countInLine(sorted[next:], line)
			next += arriving
			waiting = max(0, waiting+arriving-disk.LineSlots)
		}
	}
	return 0, 0
}

// fillLine fills a line with waiting and arriving records. n is the distance of the line from the line filled first.
func (f *indexFiller) fillLine(number, n uint64, arriving []intern.SortKey) {
	line := disk.Line(f.ix[number*disk.LineSize:][:disk.LineSize])
	var slots [disk.LineSlots]disk.Slot
	taken := slots[:0]
	if f.count+len(arriving) <= disk.LineSlots {
		taken = f.takeWaiting(taken, n)
		for _, k := range arriving {
			taken = append(taken, f.slotOf(k))
		}
		f.maxProbe = max(f.maxProbe, min(1, uint32(len(taken))))
	} else {
		f.wait(arriving, n)
		taken = f.takeWaiting(taken, n)
	}
	line.StoreSlots(taken)
	f.overflow(line, n)
}

func (f *indexFiller) slotOf(k intern.SortKey) disk.Slot {
	s := disk.Slot{Hash: disk.Hash(k.Key), Ref: layout.Ref(k.Ref + 1)}
	_, s.Rest = s.Hash.SplitBucket(f.lines)
	return s
}

func (f *indexFiller) wait(arriving []intern.SortKey, n uint64) {
	for i, k := range arriving {
		rank := 0
		if k.Ref < f.types {
			rank = 1
		}
		if f.crowded && (i > 0 && arriving[i-1].Key == k.Key || i+1 < len(arriving) && arriving[i+1].Key == k.Key) {
			rank += 2
		}
		f.waiting[rank] = append(f.waiting[rank], waitingRecord{f.slotOf(k), n})
	}
	f.count += len(arriving)
}

// takeWaiting appends waiting records to taken until it has the records of a line.
func (f *indexFiller) takeWaiting(taken []disk.Slot, n uint64) []disk.Slot {
	for rank := range f.waiting {
		k := min(len(f.waiting[rank]), disk.LineSlots-len(taken))
		for _, w := range f.waiting[rank][:k] {
			taken = append(taken, w.slot)
			f.maxProbe = max(f.maxProbe, uint32(n-w.bucket)+1)
		}
		f.drop(rank, k)
	}
	return taken
}

func (f *indexFiller) drop(rank, k int) {
	f.waiting[rank] = f.waiting[rank][k:]
	f.count -= k
}

// overflow notes in line n that the records that are left are in a later line. In a crowded archive, records that have
// no later line join the crowd.
func (f *indexFiller) overflow(line disk.Line, n uint64) {
	for rank := range f.waiting {
		last := 0 // number of records that have no later line
		for _, w := range f.waiting[rank] {
			line.SetOverflow(w.slot.Hash)
			if f.crowded && n-w.bucket+1 >= goodProbe {
				f.crowd = append(f.crowd, uint32(w.slot.Ref-1))
				f.maxProbe = goodProbe
				last++
			}
		}
		f.drop(rank, last)
	}
	if !f.crowded && f.count > fairProbe*disk.LineSlots {
		f.maxProbe = fairProbe + 1
	}
}
