package hotspot

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// What a text says, before it is known what its types are to be called and how
// wide its entries are: both need the whole text.

// A textDump is everything that one VM printed.
type textDump struct {
	methods []textMethod
	types   spellings
	total   uint64 // "Total MDO size"
	hasGap  bool   // some receiver entry has a nonprofiled_count
	plain   bool   // some trap reason has the name of a VM without JVMCI
	dialect Dialect
}

// A typeID is a place in a dump's spellings; 0 is none.
type typeID uint32

// spellings interns types as the text spells them.
type spellings struct {
	ids  map[string]typeID
	list []string // by typeID-1
}

func (s *spellings) intern(text []byte) typeID {
	if id, ok := s.ids[string(text)]; ok {
		return id
	}
	if s.ids == nil {
		s.ids = map[string]typeID{}
	}
	spelling := string(text)
	s.list = append(s.list, spelling)
	id := typeID(len(s.list))
	s.ids[spelling] = id
	return id
}

// A textMethod is one method with its counters and entries.
type textMethod struct {
	line            int
	access          uint32
	class           string // internal name, as the VM has it
	name, signature string

	interpreted, invocations, backedges uint64
	decompiles, size                    uint32

	parameters []textSlot
	entries    []textEntry
	sketch     []byte // of its code; nil if there is none
}

// A textEntry is one profile entry. Which of its fields mean something, its
// tag says.
type textEntry struct {
	line   int
	offset int // printed: of the entry, from the start of the data
	tag    layout.Tag
	at     builder.At

	count, gap   uint64 // or taken
	notTaken     uint64
	displacement int64
	rows         []textRow
	returns      []builder.RetRow
	cases        []builder.SwitchCase
	types        textTypes
	traps        []textTrap // speculative traps at the same bci
}

// A textRow is a receiver row.
type textRow struct {
	typ   typeID
	count uint64
}

// A textWord is the type of one value.
type textWord struct {
	typ      typeID
	nullSeen bool
	unknown  bool
}

// A textSlot is the type of an argument or parameter.
type textSlot struct {
	stack uint64
	word  textWord
}

// textTypes are the types of a call.
type textTypes struct {
	args   []textSlot
	result *textWord // nil if the VM does not profile it
}

// length is the value of the length cell of an entry with those types.
func (t *textTypes) length() int {
	n := 2 * len(t.args)
	if t.result != nil {
		n++
	}
	return n
}

func (t *textTypes) none() bool { return len(t.args) == 0 && t.result == nil }

// A textTrap is a speculative trap: a method, without its signature, and the
// trap state.
type textTrap struct {
	class, name string
	traps       uint32
}
