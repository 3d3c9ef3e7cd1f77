package text

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (w *writer) profile(p reader.Profile) {
	w.report.Profiles++
	w.text("  profile")
	w.version(p)
	w.end()
	w.fields(p)
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		w.section(p, section)
	}
}

// version writes the code id and the context of a profile.
func (w *writer) version(p reader.Profile) {
	if code := p.Code(); code != 0 {
		w.text(" code=")
		w.digits(code)
	}
	if c, ok, err := p.Context(); !w.failed(err) && ok {
		w.frames(c)
	}
}

// fields writes the optional fields that the block has, whatever their values.
func (w *writer) fields(p reader.Profile) {
	if p.Block().Presence()&disk.HasSize != 0 {
		code, host := p.Size()
		w.text("    size")
		w.key(" code=", uint64(code))
		w.key(" producer=", uint64(host))
		w.end()
	}
	w.counterLine("    invocations ", p, disk.HasInvocations)
	w.counterLine("    backedges ", p, disk.HasBackedges)
	w.counterLine("    interpreted ", p, disk.HasInterpreted)
	w.history(p)
	w.compile(p)
	w.escape(p)
	if p.Block().Presence()&disk.HasTraps != 0 {
		w.text("    traps")
		numbers(w, p.TrapHistory()...)
		w.end()
	}
}

func (w *writer) counterLine(key string, p reader.Profile, f disk.Presence) {
	if field := p.Block().Field(f); field != nil {
		w.key(key, le.Uint64(field))
		w.end()
	}
}

func (w *writer) history(p reader.Profile) {
	h, ok := p.History()
	if !ok {
		return
	}
	w.text("    history")
	w.key(" decompiles=", uint64(h.Decompiles))
	w.key(" overflow-recompiles=", uint64(h.OverflowRecompiles))
	w.key(" overflow-traps=", uint64(h.OverflowTraps))
	w.key(" tenure-traps=", uint64(h.TenureTraps))
	w.end()
}

func (w *writer) compile(p reader.Profile) {
	c, ok := p.Compile()
	if !ok {
		return
	}
	w.text("    compile")
	w.key(" level=", uint64(c.Level))
	w.key(" state=", uint64(c.State))
	w.key(" would-profile=", uint64(c.WouldProfile))
	w.key(" loops=", uint64(c.Loops))
	w.key(" blocks=", uint64(c.Blocks))
	w.end()
}

// escape writes sets of arguments, and so in hexadecimal digits.
func (w *writer) escape(p reader.Profile) {
	e, ok := p.Escape()
	if !ok {
		return
	}
	w.text("    escape flags=")
	w.hex(e.Flags)
	w.text(" local=")
	w.hex(e.Local)
	w.text(" stack=")
	w.hex(e.Stack)
	w.text(" returned=")
	w.hex(e.Returned)
	w.end()
}
