package pprof

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A stackSample has the samples at a point of a stack. The first word of the stack has the method of the leaf. The
// other words have the caller and point of each call (see packWord).
type stackSample struct {
	first, end    int    // range in build.words
	head          uint64 // methods of the leaf and its caller
	point         int32
	samples, time uint64
}

// Up to minMergeThreshold words, stacks are merged only after the last sample. A word takes about bytesPerWord bytes of
// the profile.
const (
	minMergeThreshold = 1 << 20
	bytesPerWord      = 2
)

// packWord packs a method and a point. Words sort like these, and are not 0.
func packWord(m builder.MethodRef, point int32) uint64 {
	return uint64(m)<<32 | uint64(uint32(point)^1<<31)
}

func unpackWord(w uint64) (builder.MethodRef, int32) {
	return builder.MethodRef(w >> 32), int32(uint32(w) ^ 1<<31)
}

func (k *importBuild) wordsOf(s *stackSample) []uint64 { return k.words[s.first:s.end] }

func leafMethod(s *stackSample) builder.MethodRef { return builder.MethodRef(s.head >> 32) }

func (k *importBuild) packLines() {
	k.lineWords = make([]uint64, len(k.lines))
	for i, l := range k.lines {
		if l.function == 0 {
			continue
		}
		if point, ok := k.pointOfLine(l); ok {
			k.lineWords[i] = packWord(k.methods[l.function-1], point)
		}
	}
}

// How a frame calls the one before it. Merged stacks can have both.
const (
	called       = 1
	calledInline = 2
)

// addStack adds samples of the stack whose words begin at s.first.
func (k *importBuild) addStack(s stackSample) {
	if s.samples == 0 && s.time == 0 {
		k.words = k.words[:s.first]
		return
	}
	if k.edgesOnly {
		k.words = k.words[:s.first+1]
	}
	s.end = len(k.words)
	s.point = k.stack[0].point
	words := k.wordsOf(&s)
	words[0] = packWord(k.stack[0].method, 0)
	s.head = words[0]
	if len(words) > 1 {
		s.head |= words[1] >> 32
	}
	k.stacks = append(k.stacks, s)
	if len(k.words) > k.mergeThreshold {
		k.mergeStacks()
	}
}

// mergeStacks sorts the stacks and merges samples of equal stacks and points. Equal stacks then share their words.
func (k *importBuild) mergeStacks() {
	slices.SortFunc(k.stacks, func(a, b stackSample) int {
		if c := cmp.Compare(a.head, b.head); c != 0 {
			return c
		}
		return cmp.Or(slices.Compare(k.wordsOf(&a), k.wordsOf(&b)), cmp.Compare(a.point, b.point))
	})
	kept := k.stacks[:0]
	words := make([]uint64, 0, len(k.words))
	calls := make([]uint8, 0, len(k.words))
	for _, s := range k.stacks {
		of := k.wordsOf(&s)
		from := s.first
		if n := len(kept); n == 0 || !slices.Equal(words[kept[n-1].first:], of) {
			s.first = len(words)
			words = append(words, of...)
			calls = append(calls, k.calls[from:from+len(of)]...)
		} else if last := &kept[n-1]; last.point != s.point {
			addCalls(calls[last.first:], k.calls[from:from+len(of)])
			s.first = last.first
		} else {
			addCalls(calls[last.first:], k.calls[from:from+len(of)])
			last.samples = disk.SaturatingAdd(last.samples, s.samples)
			last.time = disk.SaturatingAdd(last.time, s.time)
			continue
		}
		s.end = len(words)
		kept = append(kept, s)
	}
	k.stacks = kept
	k.words = words
	k.calls = calls
	k.mergeThreshold = max(minMergeThreshold, 2*len(words))
}

func addCalls(to, from []uint8) {
	for i, how := range from {
		to[i] |= how
	}
}

// recordInlined adds the contexts whose outermost frame calls only inlined code.
func (k *importBuild) recordInlined() {
	if !slices.Contains(k.inlined, calledInline) {
		return
	}
	mixed := 0
	table := k.b.Internal().Table(disk.TableInlining, 0)
	for context, how := range k.inlined {
		switch how {
		case calledInline:
			table.Row(uint64(context), 0, 1)
		case called | calledInline:
			mixed++
		}
	}
	k.lost.Add(LossInlined, mixed)
}

// recordStacks adds a profile for each leaf and context. recordEdges adds the profiles without a context.
func (k *importBuild) recordStacks() error {
	k.mergeStacks()
	for rest := k.stacks; len(rest) > 0; {
		leaf := leafMethod(&rest[0])
		var list []stackSample
		list, rest = parse.CutWhile(rest, func(s stackSample) bool { return leafMethod(&s) == leaf })
		if err := k.recordLeaf(list); err != nil {
			return err
		}
	}
	return nil
}

func (k *importBuild) recordLeaf(list []stackSample) error {
	contexts := k.makeContexts(list)
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].first == list[0].first {
			n++
		}
		if contexts[0] != profileset.NoContext {
			p := k.b.ProfileIn(leafMethod(&list[0]), 0, contexts[0])
			countSamples(p, list[:n])
			if err := p.Done(); err != nil {
				return err
			}
		}
		list = list[n:]
		contexts = contexts[n:]
	}
	return nil
}

// makeContexts returns the contexts of the stacks of a leaf. It creates contexts in breadth-first order, which is the
// order of an archive. Since the stacks are sorted, a stack can share contexts only with the previous one, up to the
// end of their common words.
func (k *importBuild) makeContexts(list []stackSample) []builder.ContextRef {
	nodes := make([]builder.ContextRef, len(list))
	common := make([]int, len(list))
	deeper := make([]int, len(list))
	for i := range list {
		common[i] = commonWords(k.wordsOf(&list[max(i-1, 0)]), k.wordsOf(&list[i]))
		deeper[i] = i
	}
	common[0] = 0
	for depth := 1; len(deeper) > 0; depth++ {
		all := deeper
		deeper = deeper[:0]
		for _, i := range all {
			words := k.wordsOf(&list[i])
			if depth == len(words) {
				continue
			}
			deeper = append(deeper, i)
			if common[i] > depth {
				nodes[i] = nodes[i-1]
			} else {
				caller, point := unpackWord(words[depth])
				nodes[i] = k.b.Internal().NewContext(leafMethod(&list[i]), nodes[i], caller, point)
			}
			k.noteCall(nodes[i], k.calls[list[i].first+depth])
		}
	}
	return nodes
}

// noteCall notes how the outermost frame of a context calls.
func (k *importBuild) noteCall(context builder.ContextRef, how uint8) {
	if more := int(context) + 1 - len(k.inlined); more > 0 {
		k.inlined = append(k.inlined, make([]uint8, more)...)
	}
	k.inlined[context] |= how
}

// commonWords returns the length of the common prefix.
func commonWords(x, y []uint64) (n int) {
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

func countSamples(p *builder.Profile, of []stackSample) {
	for _, s := range of {
		if s.samples > 0 {
			p.Count(builder.Count{Point: s.point, Sub: layout.SubSamples, N: s.samples})
		}
		if s.time > 0 {
			p.Count(builder.Count{Point: s.point, Sub: layout.SubNanoseconds, N: s.time})
		}
	}
}
