package coverage

import (
	"fmt"
	"math"
	"slices"
)

// A regionKind says what a region is. Their order decides between regions of one place.
type regionKind uint8

const (
	codeRegion      regionKind = 0
	expansionRegion regionKind = 1
	skippedRegion   regionKind = 2
	gapRegion       regionKind = 3 // between statements: counts where no other region begins
	branchRegion    regionKind = 4
	decisionRegion  regionKind = 5 // MC/DC
	mcdcRegion      regionKind = 6 // a branch with the place of its condition in the decision
)

// A position is a line and column, from 1.
type position struct{ line, column uint32 }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// A region is a part of a source file with its counter.
type region struct {
	kind       regionKind
	file       uint32 // index in the files of the function
	expanded   uint32 // of an expansion: the file that stands for the macro's text
	count      counter
	otherwise  counter // of a branch: how often its condition was false
	start, end position
}

// isBranch reports whether a region is the condition of a branch.
func (r *region) isBranch() bool { return r.kind == branchRegion || r.kind == mcdcRegion }

// A function is the decoded mapping of one function.
type function struct {
	files       []string // by file id; the same name may be there several times
	expressions []expression
	regions     []region // by file id, and in each file by position
}

// The encoding of regions.
const (
	tagMask      = 3
	tagBits      = 2
	tagZero      = 0
	expansionBit = 1 << tagBits
	kindBits     = tagBits + 1
	gapBit       = 1 << 31 // in the column of the end
	wholeLine    = math.MaxUint32
	regionBytes  = 5 // the shortest
)

// decode decodes a function whose translation unit has these files.
func decode(data []byte, files []string) (*function, error) {
	c := &cursor{rest: data}
	f := &function{}
	f.files = make([]string, c.size("files", 1))
	for i := range f.files {
		n := c.number()
		if c.err == nil && n >= uint64(len(files)) {
			c.err = fmt.Errorf("file %d of %d", n, len(files))
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
	if c.err == nil && len(f.regions) == 0 {
		c.err = fmt.Errorf("a function without regions")
	}
	if c.err != nil {
		return nil, c.err
	}
	f.countExpansions()
	return f, nil
}

// readRegions reads the regions of one file.
func (f *function) readRegions(c *cursor, file uint32) {
	line := uint64(0)
	for range c.size("regions", regionBytes) {
		r := region{file: file}
		f.readHeader(c, &r)
		line += c.number()
		startColumn := c.number()
		lines := c.number()
		endColumn := c.number()
		if line+lines > math.MaxUint32 {
			c.err = fmt.Errorf("line %d", line+lines)
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
		if c.err == nil && r.end.before(r.start) {
			c.err = fmt.Errorf("a region from %d:%d to %d:%d", r.start.line, r.start.column, r.end.line, r.end.column)
		}
		if c.err != nil {
			return
		}
		f.regions = append(f.regions, r)
	}
}

// readHeader reads the kind and the counter of a region.
func (f *function) readHeader(c *cursor, r *region) {
	header := c.number()
	switch {
	case header&tagMask != tagZero:
		r.count = f.counter(c, header)
		return
	case header&expansionBit != 0:
		r.kind = expansionRegion
		r.expanded = uint32(header >> kindBits)
		if c.err == nil && int(r.expanded) >= len(f.files) {
			c.err = fmt.Errorf("the expansion of file %d of %d", r.expanded, len(f.files))
		}
		return
	}
	r.kind = regionKind(min(header>>kindBits, math.MaxUint8))
	more := 0
	switch r.kind {
	case codeRegion, skippedRegion:
	case branchRegion:
		r.count = f.counter(c, c.number())
		r.otherwise = f.counter(c, c.number())
	case mcdcRegion:
		r.count = f.counter(c, c.number())
		r.otherwise = f.counter(c, c.number())
		more = 3 // the condition, and those after it
	case decisionRegion:
		more = 2 // index in the bitmap, number of conditions
	default:
		if c.err == nil {
			c.err = fmt.Errorf("a region of kind %d", header>>kindBits)
		}
	}
	for range more {
		c.number()
	}
}

// main returns the file that is not the text of a macro, -1 if there is none.
func (f *function) main() int {
	expanded := make([]bool, len(f.files))
	for _, r := range f.regions {
		if r.kind == expansionRegion {
			expanded[r.expanded] = true
		}
	}
	return slices.Index(expanded, false)
}

// countExpansions gives each expansion the counter of the first region of the macro's text,
// which may be an expansion again.
func (f *function) countExpansions() {
	first := make([]int, len(f.files)) // 1 more than the index of a file's first region
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
