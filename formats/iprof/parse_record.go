package iprof

import (
	"math"

	"github.com/profarc/profarc/internal/disk"
)

// recordItem gives what reads {"ctx":"2:0<1:3","records":[1]} of a section.
func (p *parser) recordItem(sec *section) func() bool {
	kind, wanted := sec.kind, hasContext|hasRecords
	if sec.key == oldMonitors {
		wanted = hasRecords
	}
	return func() bool {
		p.path = p.path[:0]
		if !p.members(wanted) || !p.fits(kind) {
			return false
		}
		p.add(kind)
		return true
	}
}

// fits reports whether the integers and the context of a record are what a
// section has.
func (p *parser) fits(kind sectionKind) bool {
	width := kind.width()
	if len(p.ids)%width != 0 || len(p.path) > 1+disk.MaxDepth || width == 1 && len(p.ids) != 1 {
		return false
	}
	for i := width - 1; i < len(p.ids); i += width {
		if p.ids[i] < 0 {
			return false
		}
	}
	switch kind {
	case conditionals:
		for i := 0; i < len(p.ids); i += 3 {
			if point, index := p.ids[i], p.ids[i+1]; int64(int32(point)) != point || index < 0 || index > math.MaxUint32 {
				return false
			}
		}
	case monitors:
		global := len(p.path) == 0 || len(p.path) == 1 && p.path[0] == frame{}
		return global && p.item == 0
	}
	return true
}

// add keeps a record.
func (p *parser) add(kind sectionKind) {
	switch kind {
	case monitors:
		p.rec.monitor = append(p.rec.monitor, p.ids...)
	case samples:
		p.rec.stacks = append(room(p.rec.stacks, 1), stack{len(p.rec.frames), len(p.path), p.ids[0]})
		p.rec.frames = append(room(p.rec.frames, len(p.path)), p.path...)
	default:
		p.rec.records = append(room(p.rec.records, 1), record{p.rec.nodes.contextOf(p.path), p.path[0].point, len(p.rec.values), uint32(len(p.ids)), kind})
		p.rec.values = append(room(p.rec.values, len(p.ids)), p.ids...)
	}
}

// context reads a string of frames into path, for instance "2:0<1:3".
func (p *parser) context(between byte) bool {
	t, plain, ok := p.text()
	if !ok || !plain {
		return false
	}
	p.path = p.path[:0]
	for i := 0; ; i++ {
		id, next := digitsOf(t, i)
		if next < 0 || next == len(t) || t[next] != ':' {
			return p.off()
		}
		i = next + 1
		negative := i < len(t) && t[i] == '-'
		if negative {
			i++
		}
		point, next := digitsOf(t, i)
		if negative {
			if point == 0 {
				return p.off()
			}
			point = -point
		}
		if next < 0 || int64(int32(point)) != point {
			return p.off()
		}
		p.path = append(p.path, frame{id, int32(point)})
		if next == len(t) {
			return true
		}
		if t[next] != between {
			return p.off()
		}
		i = next
	}
}

// off goes back into the string that was read, so that the element does not
// look as if it were cut off.
func (p *parser) off() bool {
	p.pos--
	return false
}

// digitsOf reads digits in their one spelling from t[i] on. next is behind
// them, negative if there are none.
func digitsOf(t []byte, i int) (n int64, next int) {
	first := i
	for ; i < len(t) && t[i]-'0' <= 9 && i < first+18; i++ {
		n = n*10 + int64(t[i]-'0')
	}
	if i == first || t[first] == '0' && i > first+1 {
		return 0, -1
	}
	return n, i
}
