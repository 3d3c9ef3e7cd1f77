package jamaica

import "math"

// A statement is what a run says once at most.
type statement struct {
	key         keyword
	interpreted bool
	point       uint64
	names       [2]nameID
}

// statement is what a record says. It is not ok if a run may say it again:
// signatures that are cut short may be of several methods.
func (t *text) statement(r *record) (s statement, ok bool) {
	s = statement{key: r.key, interpreted: r.interpreted, names: r.names}
	f := &forms[r.key]
	if r.key == keyThread {
		return s, false
	}
	for i, n := range f.numbers {
		if n.kind == point {
			s.point = r.numbers[i]
		}
	}
	for i := range f.names {
		if f.methods && !isWhole(t.names.text(r.names[i])) {
			return s, false
		}
	}
	return s, true
}

// A block is a row of records of one part.
type block struct {
	part  part
	start int
	prev  int // the block before of the same part, -1 if there is none
}

// blocks cuts the records where another part begins.
func (t *text) blocks() []block {
	list := []block{{part: partAny, prev: -1}}
	last := [partAny]int{-1, -1, -1}
	for i := range t.records {
		p := forms[t.records[i].key].part
		if p == partAny || p == list[len(list)-1].part {
			continue
		}
		list = append(list, block{p, i, last[p]})
		last[p] = len(list) - 1
	}
	return list
}

// splitRuns finds where the runs of a text begin; see the package comment.
func (t *text) splitRuns() (runs [][]record) {
	type place struct{ record, block int }
	said := map[statement]place{}
	blocks := t.blocks()
	start, at := 0, 0
	for i := range t.records {
		if at+1 < len(blocks) && blocks[at+1].start == i {
			at++
		}
		s, ok := t.statement(&t.records[i])
		if !ok {
			continue
		}
		if before, ok := said[s]; ok && before.record >= start {
			next := i
			if again := restart(blocks, before.block, start); again <= i {
				next = again
			}
			runs = append(runs, t.records[start:next])
			start = next
		}
		said[s] = place{i, at}
	}
	return append(runs, t.records[start:])
}

// restart is where, behind a block, a part begins again that the run from start
// on had. There are so few parts that one of the next blocks is it.
func restart(blocks []block, behind, start int) int {
	for _, b := range blocks[behind+1:] {
		if b.prev >= 0 && blocks[b.prev+1].start > start {
			return b.start
		}
	}
	return math.MaxInt
}
