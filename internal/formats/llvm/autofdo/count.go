package autofdo

import (
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
)

// Losses of counting.
const (
	LossBranches codec.LossKind = "branches from and to code outside of the program"
	LossRanges   codec.LossKind = "ranges between branches that the program cannot run: they go backwards or past a " +
		"jump"
	LossPoints codec.LossKind = "samples without branches, among others with branches or in a program with " +
		"pseudo probes"
	LossNoLines codec.LossKind = "samples of code without debug information"
	LossNoFrame codec.LossKind = "samples with branches and a call stack at the first or last instructions of a " +
		"function, where call stacks lack the caller"
	LossAmbiguous codec.LossKind = "functions of compilers that share a name: initializers of variables"
)

// counts has the samples of a program.
type counts struct {
	branches map[[2]uint64]uint64 // branches by source and target
	ranges   map[[2]uint64]uint64 // ranges from the target of a branch to the source of the next
	points   map[uint64]uint64    // samples without branches
}

// AddSample counts n samples without branches. It returns false for a sample outside of the program.
func (p *Program) AddSample(address, n uint64) bool {
	if p.codeAt(address) == nil {
		return false
	}
	p.points[address] += n
	return true
}

// AddBranches counts the branches of n samples, the newest first: their sources and targets. It returns false if all
// are outside of the program.
func (p *Program) AddBranches(branches [][2]uint64, n uint64) (inside bool) {
	var end uint64 // source of the branch after this one, 0 if it is outside
	for _, b := range branches {
		isFrom := p.codeAt(b[0]) != nil
		isTo := p.codeAt(b[1]) != nil
		if !isFrom && !isTo {
			p.Lost.Add(LossBranches, int(n))
			continue
		}
		inside = true
		if !isFrom {
			b[0] = 0
		}
		if isTo {
			p.branches[b] += n
			if end != 0 {
				p.ranges[[2]uint64{b[1], end}] += n
			}
		}
		end = b[0]
	}
	return inside
}

// AddBranchesAt is like AddBranches for samples with a call stack, whose innermost frame is at an address. As with
// llvm-profgen, samples without a stack frame do not count.
func (p *Program) AddBranchesAt(address uint64, branches [][2]uint64, n uint64) (inside bool) {
	if p.hasNoFrame(address) {
		p.Lost.Add(LossNoFrame, int(n))
		return true
	}
	return p.AddBranches(branches, n)
}

// A profiler makes a profile of counts.
type profiler struct {
	*Program
	profile sample.Profile
	calls   map[callKey]*sample.Function
	lines   map[lineKey]*line
	touched map[*functionRange]bool // parts of functions with samples
}

// A callKey identifies a function of the profile. The caller into which it is inlined is nil for others.
type callKey struct {
	caller *sample.Function
	sample.Frame
}

type lineKey struct {
	*sample.Function
	sample.Location
}

// A line has the samples of a line, and its calls.
type line struct{ samples, calls uint64 }

// Profile returns the counts at the lines of the program.
func (p *Program) Profile() *sample.Profile {
	c := profiler{p, sample.Profile{FlowStages: p.staged, Probes: p.probes != nil}, map[callKey]*sample.Function{},
		map[lineKey]*line{}, map[*functionRange]bool{}}
	if len(p.branches) > 0 || p.probes != nil {
		p.Lost.Add(LossPoints, len(p.points))
		clear(p.points)
	}
	c.countRanges()
	for address, n := range p.points {
		c.countAt(address, n, n)
	}
	for b, n := range p.branches {
		c.countBranch(b[0], b[1], n)
	}
	for key, l := range c.lines { // a line ran at least as often as its calls
		key.Lines = append(key.Lines, sample.Line{Location: key.Location, Samples: max(l.samples, l.calls)})
	}
	return &c.profile
}

// countRanges counts the code of the functions with samples. Code that no range has counts zero, so that the compiler
// knows that it is cold.
func (p *profiler) countRanges() {
	for r, n := range p.ranges {
		if p.isStraight(r[0], r[1]) {
			p.touch(r[0], n)
		} else {
			p.Lost.Add(LossRanges, int(n))
			delete(p.ranges, r)
		}
	}
	for address, n := range p.points {
		p.touch(address, n)
	}
	addresses, sums := p.sumRanges()
	for part := range p.touched {
		if p.probes != nil {
			p.countProbes(part, addresses, sums)
		} else {
			p.countPart(part, addresses, sums)
		}
	}
}

// sumRanges returns the addresses at which the number of samples changes: sums[i] is the number before addresses[i].
func (p *Program) sumRanges() (addresses, sums []uint64) {
	changes := map[uint64]uint64{} // modulo 2^64
	for r, n := range p.ranges {
		last, _ := p.instructionAt(r[1])
		changes[r[0]] += n
		changes[last.end] -= n
	}
	addresses = slices.Sorted(maps.Keys(changes))
	sums = make([]uint64, len(addresses)+1)
	for i, at := range addresses {
		sums[i+1] = sums[i] + changes[at]
	}
	return addresses, sums
}

// touch notes that the function at an address has samples.
func (p *profiler) touch(address, n uint64) {
	r := p.rangeOf(address)
	if r == nil {
		p.Lost.Add(LossNoLines, int(n))
		return
	}
	for _, part := range p.parts[r.Name] {
		p.touched[p.rangeOf(part.start)] = true
	}
}

// countPart counts the code of a part of a function, between the addresses at which its line or its count changes.
func (p *profiler) countPart(part *functionRange, addresses, sums []uint64) {
	first, _ := slices.BinarySearch(addresses, part.start+1)
	last, _ := slices.BinarySearch(addresses, part.end)
	bounds := append(part.Boundaries(part.start, part.end), addresses[first:max(first, last)]...)
	slices.Sort(bounds)
	for i, at := range bounds[1:] {
		if start := bounds[i]; start >= part.start && start < at && at <= part.end {
			before, _ := slices.BinarySearch(addresses, start+1)
			p.countAt(start, sums[before], sums[before]*(at-start))
		}
	}
}

// countProbes counts the probes of a part of a function, unless the function into which they were inlined has no
// samples or is not in the program.
func (p *profiler) countProbes(part *functionRange, addresses, sums []uint64) {
	first, _ := slices.BinarySearch(p.probes.addresses, part.start)
	for _, at := range p.probes.addresses[first:] {
		if at >= part.end {
			return
		}
		before, _ := slices.BinarySearch(addresses, at+1)
		n := sums[before]
		for _, one := range p.probes.at[at] {
			if root := p.rangeOf(one.root); root == nil || !p.touched[root] {
				continue
			}
			f, at := p.find(one.frames, n)
			p.line(f, at).samples += n
			if len(one.frames) == 1 && at.Line == 1 { // the entry
				f.Head += n
			}
		}
	}
}

// countAt counts n runs of the code at an address, and adds to the totals of its function and callers. A line has the
// highest count of its code.
func (p *profiler) countAt(address, n, total uint64) {
	frames := p.framesAt(address)
	if len(frames) == 0 {
		return
	}
	f, at := p.find(p.baseFrames(frames), total)
	if !p.staged {
		n *= duplicates(frames[len(frames)-1].Discriminator)
	}
	l := p.line(f, at)
	l.samples = max(l.samples, n)
}

// countBranch counts a branch to the entry of a function, which is a call.
func (p *profiler) countBranch(from, to, n uint64) {
	callee := p.entryName(to)
	if callee == "" {
		return
	}
	var frames []sample.Frame
	if p.probes == nil {
		p.function(nil, sample.Frame{Name: callee}).Head += n
		frames = p.framesAt(from)
	} else if call := p.callProbe(from); call != nil {
		frames = call.frames
	}
	if len(frames) == 0 {
		return
	}
	f, at := p.find(p.baseFrames(frames), 0)
	f.Lines = append(f.Lines, sample.Line{Location: at, Targets: []sample.Target{{Name: callee, Count: n}}})
	if len(frames) == 1 {
		p.line(f, at).calls += n
	}
}

// find returns the innermost function of frames and its location, and adds to the totals of all.
func (p *profiler) find(frames []sample.Frame, total uint64) (f *sample.Function, at sample.Location) {
	for _, frame := range frames {
		f = p.function(f, sample.Frame{Name: frame.Name, Location: at})
		f.Total = disk.SaturatingAdd(f.Total, total)
		at = frame.Location
	}
	return f, at
}

// function returns a function, or a call that is inlined. Several initializers of a program have one name: they are
// lost.
func (p *profiler) function(caller *sample.Function, at sample.Frame) *sample.Function {
	key := callKey{caller, at}
	f := p.calls[key]
	if f != nil {
		return f
	}
	f = &sample.Function{Name: at.Name}
	if p.probes != nil {
		f.Checksum = p.probes.checksums[at.Name]
	}
	p.calls[key] = f
	switch {
	case isAmbiguous(at.Name):
		p.Lost.Add(LossAmbiguous, 1)
	case caller == nil:
		p.profile.Functions = append(p.profile.Functions, f)
	default:
		caller.Calls = append(caller.Calls, sample.Call{Location: at.Location, Function: f})
	}
	return f
}

// isAmbiguous reports whether several functions of a program can have the name.
func isAmbiguous(name string) bool {
	return strings.HasPrefix(name, "__cxx_global_var_init") || strings.HasPrefix(name, "__tls_init")
}

func (p *profiler) line(f *sample.Function, at sample.Location) *line {
	key := lineKey{f, at}
	if p.lines[key] == nil {
		p.lines[key] = &line{}
	}
	return p.lines[key]
}

// baseLocation returns a location with the base discriminator. Three set bits mark a pseudo probe: its number follows.
func (p *Program) baseLocation(at sample.Location) sample.Location {
	switch d := at.Discriminator; {
	case p.staged, p.probes != nil:
	case d&7 == 7:
		at.Discriminator = d >> 3 & 0xffff
	default:
		at.Discriminator = componentOf(d)
	}
	return at
}

// baseFrames returns frames with the base discriminators.
func (p *Program) baseFrames(frames []sample.Frame) []sample.Frame {
	frames = slices.Clone(frames)
	for i := range frames {
		frames[i].Location = p.baseLocation(frames[i].Location)
	}
	return frames
}

// componentOf decodes the first component of a discriminator. An odd one is zero, otherwise it has 5 or 12 bits.
func componentOf(d uint32) uint32 {
	switch {
	case d&1 != 0:
		return 0
	case d&0x40 != 0:
		return d>>2&0xfe0 | d>>1&0x1f
	}
	return d >> 1 & 0x1f
}

// duplicates decodes the second component, the number of copies that an instruction stands for.
func duplicates(d uint32) uint64 {
	switch {
	case d&1 != 0:
		d >>= 1
	case d&0x40 != 0:
		d >>= 14
	default:
		d >>= 7
	}
	return uint64(max(componentOf(d), 1))
}
