package text

import (
	"time"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

func (w *writer) header() {
	w.text(firstLine)
	w.end()
	w.text("domain ")
	w.text(w.h.Domain.String())
	w.end()
	if w.h.Producer != "" {
		w.text("producer ")
		w.b = appendName(w.b, []byte(w.h.Producer))
		w.end()
	}
	w.id("fingerprint ", w.h.Fingerprint, "")
	if !derivedID(w.h) {
		w.id("dump-id ", w.h.DumpID, "  # if you change anything, delete this line: the archive then gets an id of its own")
	}
	if w.h.DumpTime != 0 {
		w.text("time ")
		w.b = time.Unix(0, w.h.DumpTime).UTC().AppendFormat(w.b, time.RFC3339Nano)
		w.end()
	}
	if w.h.Flags != 0 {
		w.text("flags ")
		w.bits(archiveFlags, w.h.Flags)
		w.end()
	}
	for i, v := range w.h.Params {
		w.param(uint64(i), v)
	}
}

// id writes one of the archive's identities, if it has it.
func (w *writer) id(key string, id [16]byte, comment string) {
	if id == ([16]byte{}) {
		return
	}
	w.text(key)
	w.bytes(id[:])
	w.text(comment)
	w.end()
}

func (w *writer) param(i uint64, v uint32) {
	if v == 0 {
		return
	}
	w.text("param ")
	w.listed(paramWords, i)
	w.text(" ")
	w.number(uint64(v))
	w.end()
}

// derivedID reports whether the dump id of an archive is the one that package
// builder derives from all else that the archive holds. The text does not say
// that one: of a text that was changed it would be another's.
func derivedID(h *layout.Header) bool {
	without := *h
	without.DumpID = [16]byte{}
	header := disk.AppendHeader(nil, &without)
	var id [16]byte
	low, high := disk.Sum(append(header, 0)), disk.Sum(append(header, 1))
	for i := range 8 {
		id[i], id[8+i] = byte(low>>(8*i)), byte(high>>(8*i))
	}
	return id == h.DumpID
}
