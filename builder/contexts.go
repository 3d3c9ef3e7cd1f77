package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/refindex"
	"github.com/profarc/profarc/layout"
)

// A Frame is one caller: where, in which method, the call stands.
type Frame struct {
	Caller MethodRef
	Point  int32
}

type contextKey struct {
	method MethodRef
	parent ContextRef
	Frame
}

type contextData struct {
	contextKey
	depth uint32
	first ProfileRef
}

// contexts interns the nodes of calling contexts.
type contexts struct {
	list[contextData]
	index refindex.Index
}

// Context interns the calling context of a method; frames go from the direct
// caller outward. No frames give NoContext.
func (b *Builder) Context(m MethodRef, frames ...Frame) ContextRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(frames) > disk.MaxDepth {
		b.failDepth(len(frames))
		return NoContext
	}
	if !b.methods.has(uint32(m)) {
		b.fail(fmt.Errorf("method %d is not of this builder", m))
		return NoContext
	}
	node := NoContext
	for _, f := range frames {
		if node = b.contextNode(m, node, f); node == NoContext {
			break
		}
	}
	return node
}

// OuterContext interns a calling context of a method that has one frame more
// around it than inner, which may be NoContext.
func (b *Builder) OuterContext(m MethodRef, inner ContextRef, f Frame) ContextRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.methods.has(uint32(m)) || inner != NoContext && (!b.contexts.has(uint32(inner)) || b.contexts.at(uint32(inner)).method != m) {
		b.fail(fmt.Errorf("context %d is not one of method %d of this builder", inner, m))
		return NoContext
	}
	return b.contextNode(m, inner, f)
}

// contextNode interns the node of a method that adds a frame to its parent. The
// caller holds mu.
func (b *Builder) contextNode(m MethodRef, parent ContextRef, f Frame) ContextRef {
	if !b.methods.has(uint32(f.Caller)) {
		b.fail(fmt.Errorf("caller %d is not of this builder", f.Caller))
		return NoContext
	}
	t := &b.contexts
	key := contextKey{m, parent, f}
	hash := key.hash()
	ref, at := t.index.Find(hash, func(ref uint32) bool { return t.at(ref).contextKey == key })
	if ref != 0 {
		return ContextRef(ref)
	}
	d := contextData{contextKey: key, depth: 1}
	if parent != NoContext {
		d.depth = t.at(uint32(parent)).depth + 1
	}
	switch {
	case d.depth > disk.MaxDepth:
		b.failDepth(int(d.depth))
		return NoContext
	case t.len() >= disk.MaxContexts:
		b.fail(fmt.Errorf("%w: more than %d context nodes", layout.ErrTooLarge, disk.MaxContexts))
		return NoContext
	}
	ref = t.add(d)
	t.index.Put(at, hash, ref)
	return ContextRef(ref)
}

func (b *Builder) failDepth(frames int) {
	b.fail(fmt.Errorf("%w: a context of %d frames, at most %d are possible", layout.ErrTooLarge, frames, disk.MaxDepth))
}

// hash mixes the four numbers.
func (k contextKey) hash() uint32 {
	h := (uint64(k.parent)<<32 | uint64(k.method)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ (uint64(k.Caller)<<32 | uint64(uint32(k.Point)))) * 0xbf58476d1ce4e5b9
	return uint32(h >> 32)
}
