package coverage

import (
	"math"
	"slices"
)

// A regionKind is the kind of a region. The order of kinds breaks ties between regions with the same bounds.
type regionKind uint8

const (
	codeRegion      regionKind = 0
	expansionRegion regionKind = 1
	skippedRegion   regionKind = 2
	gapRegion       regionKind = 3 // text between statements, counted where no other region begins
	branchRegion    regionKind = 4
	decisionRegion  regionKind = 5 // MC/DC
	mcdcRegion      regionKind = 6 // a branch with its condition's position in the decision
)

// A position is a 1-based line and column.
type position struct{ line, column uint32 }

func (p position) isBefore(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// A region is a part of a source file with its counter.
type region struct {
	kind       regionKind
	file       uint32 // index in the files of the function
	expanded   uint32 // expansions: file id of the macro's text
	count      counter
	otherwise  counter // branches: counter of false outcomes
	start, end position
}

func (r *region) isBranch() bool { return r.kind == branchRegion || r.kind == mcdcRegion }

type function struct {
	files       []string // names by file id, possibly repeated
	expressions []expression
	regions     []region // sorted by file id and position
}

// The encoding of regions.
const (
	tagMask      = 3
	tagBits      = 2
	tagZero      = 0
	expansionBit = 1 << tagBits
	kindBits     = tagBits + 1
	gapBit       = 1 << 31 // flag in the end column
	wholeLine    = math.MaxUint32
	regionBytes  = 5 // minimum encoded size
)

func decodeFunction(data []byte, files []string) (*function, error) {
	c := &cursor{rest: data}
	f := &function{}
	f.files = make([]string, c.readCount("files", 1))
	for i := range f.files {
		n := c.readNumber()
		if n >= uint64(len(files)) {
			c.fail("file %d of %d", n, len(files))
		}
		if c.err != nil {
			return nil, c.err
		}
		f.files[i] = files[n]
	}
	f.readExpressions(c)
	for file := range f.files {
		f.readRegions(c, uint32(file))
	}
	if len(f.regions) == 0 {
		c.fail("a function without regions")
	}
	if c.err != nil {
		return nil, c.err
	}
	f.countExpansions()
	return f, nil
}

func (f *function) readRegions(c *cursor, file uint32) {
	line := uint64(0)
	for range c.readCount("regions", regionBytes) {
		r := region{file: file}
		f.readHeader(c, &r)
		line += c.readNumber()
		startColumn := c.readNumber()
		lines := c.readNumber()
		endColumn := c.readNumber()
		if line+lines > math.MaxUint32 {
			c.fail("line %d", line+lines)
		}
		if endColumn&gapBit != 0 {
			r.kind = gapRegion
			endColumn = endColumn &^ gapBit
		}
		if startColumn == 0 && endColumn == 0 {
			startColumn, endColumn = 1, wholeLine
		}
		r.start = position{uint32(line), uint32(startColumn)}
		r.end = position{uint32(line + lines), uint32(endColumn)}
		if r.end.isBefore(r.start) {
			c.fail("a region from %d:%d to %d:%d", r.start.line, r.start.column, r.end.line, r.end.column)
		}
		if c.err != nil {
			return
		}
		f.regions = append(f.regions, r)
	}
}

// readHeader decodes the kind and the counter of a region.
func (f *function) readHeader(c *cursor, r *region) {
	header := c.readNumber()
	switch {
	case header&tagMask != tagZero:
		r.count = f.decodeCounter(c, header)
		return
	case header&expansionBit != 0:
		r.kind = expansionRegion
		r.expanded = uint32(header >> kindBits)
		if int(r.expanded) >= len(f.files) {
			c.fail("the expansion of file %d of %d", r.expanded, len(f.files))
		}
		return
	}
	r.kind = regionKind(min(header>>kindBits, math.MaxUint8))
	more := 0
	switch r.kind {
	case codeRegion, skippedRegion:
	case branchRegion, mcdcRegion:
		r.count = f.decodeCounter(c, c.readNumber())
		r.otherwise = f.decodeCounter(c, c.readNumber())
		if r.kind == mcdcRegion {
			more = 3 // ids of the condition and its successors
		}
	case decisionRegion:
		more = 2 // index in the bitmap, number of conditions
	default:
		c.fail("a region of kind %d", header>>kindBits)
	}
	for range more {
		c.readNumber()
	}
}

// mainFile returns the id of the file that is not a macro, or -1.
func (f *function) mainFile() int {
	expanded := make([]bool, len(f.files))
	for _, r := range f.regions {
		if r.kind == expansionRegion {
			expanded[r.expanded] = true
		}
	}
	return slices.Index(expanded, false)
}

// countExpansions gives each expansion the counter of the macro's first region, which can be another expansion.
func (f *function) countExpansions() {
	first := make([]int, len(f.files)) // index + 1 of a file's first region
	for i := len(f.regions) - 1; i >= 0; i-- {
		first[f.regions[i].file] = i + 1
	}
	done := make([]bool, len(f.files))
	var path []int
	for i := range f.regions {
		path = path[:0]
		for at := i; f.regions[at].kind == expansionRegion && !done[f.regions[at].expanded]; {
			r := f.regions[at]
			done[r.expanded] = true
			path = append(path, at)
			if first[r.expanded] == 0 {
				break
			}
			at = first[r.expanded] - 1
		}
		for n := len(path) - 1; n >= 0; n-- {
			if r := &f.regions[path[n]]; first[r.expanded] > 0 {
				r.count = f.regions[first[r.expanded]-1].count
			}
		}
	}
}
