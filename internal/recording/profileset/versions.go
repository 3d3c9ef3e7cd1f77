package profileset

import (
	"runtime"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/refindex"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// UnknownTime is the time of a profile whose last run is not known.
const UnknownTime = -1

// A version is a version of a method's code.
type version struct {
	method MethodRef
	code   uint64
}

// listVersions lists the versions of code that ran last before the time of the archive. An archive of one dump lists
// versions of methods with several versions. The caller holds mu.
func (b *Set) listVersions() {
	now := b.Heading.DumpTime.UnixNano()
	if b.listedVersions {
		delete(b.Tables, disk.TableVersions)
	}
	if b.Heading.DumpTime.IsZero() {
		return
	}
	last, versions := map[version]int64{}, map[MethodRef]int{}
	for _, d := range b.Profiles.All {
		v := version{d.Method, d.Code}
		was, known := last[v]
		if !known {
			versions[d.Method]++
			was = UnknownTime
		}
		time := d.Time
		if time == 0 {
			time = now
		}
		last[v] = max(was, time)
	}
	merged := b.Mixed || b.Heading.Flags&disk.FlagMerged != 0
	for v, time := range last {
		if time != now && (merged || versions[v.method] > 1) {
			b.table(disk.TableVersions, 0, disk.TableColumns(disk.TableVersions)).addRow([]uint64{uint64(v.method), v.code,
				uint64(max(time, 0))})
			b.listedVersions = true
		}
	}
}

// KeyOf returns the key of a method.
func (b *Set) KeyOf(m MethodRef) layout.Key {
	r := b.Methods.At(uint32(m))
	k := layout.Key{Name: b.Text(r.Name), Signature: b.Text(r.Signature)}
	if r.Holder != 0 {
		t := b.Types.At(uint32(r.Holder))
		k.Class, k.Loader = b.Text(t.Name), b.Text(t.Loader)
	}
	return k
}

// FrameGroup is the number of frames that are looked up together.
const FrameGroup = 128

// An OuterFrame is a frame around a context. Inner can be NoContext.
type OuterFrame struct {
	Inner  ContextRef
	Caller MethodRef
	Point  int32
}

// OuterContexts calls OuterContext for each frame. There must be at most FrameGroup frames. It first prefetches the
// memory that their lookups read.
func (b *Set) OuterContexts(m MethodRef, frames []OuterFrame) []ContextRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Contexts.prefetchContexts(m, frames)
	return lists.Map(frames, func(f OuterFrame) ContextRef {
		return b.outerContext(contextKey{m, f.Inner, f.Caller, f.Point})
	})
}

func (t *contexts) prefetchContexts(m MethodRef, frames []OuterFrame) {
	var hashes, likely [FrameGroup]uint32
	for i, f := range frames {
		hashes[i] = refindex.HashKey(contextKey{m, f.Inner, f.Caller, f.Point})
	}
	t.index.Guess(hashes[:len(frames)], likely[:])
	seen := uint32(0)
	for _, ref := range likely[:len(frames)] {
		if ref != 0 {
			seen += t.At(ref).Depth
		}
	}
	runtime.KeepAlive(seen)
}
