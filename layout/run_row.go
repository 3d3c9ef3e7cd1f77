package layout

import "time"

// A row of TableRuns is words and texts.
const (
	RunWords = 13
	RunTexts = 6
)

// RunClassPath is the word of a row that says by which number TableClassPath has
// the class path; 0 if it is not known.
const RunClassPath = 12

// A RunRow is a row of TableRuns; its texts are symbols in a file.
type RunRow struct {
	Words [RunWords]uint64
	Texts [RunTexts]string
}

// Row is what a table says of a run. The class path is rows of another table.
func (p *Provenance) Row() (r RunRow) {
	words := append(id128(p.DumpID), id128(p.Since)...)
	words = append(words, id128(p.Process.Boot)...)
	words = append(words, p.Process.Namespace, p.Process.PID, p.Process.Start,
		uint64(nanoseconds(p.Begun)), uint64(nanoseconds(p.Time)), uint64(p.Exit), ClassPathID(p.ClassPath))
	copy(r.Words[:], words)
	r.Texts = [RunTexts]string{p.VM, p.Vendor, p.Main, p.Command, p.Options, p.Selection}
	return r
}

// Provenance is what a row says, without the class path.
func (r *RunRow) Provenance() Provenance {
	w, t := &r.Words, &r.Texts
	return Provenance{
		DumpID: bytes128(w[0], w[1]), Since: bytes128(w[2], w[3]),
		Process: Process{Boot: bytes128(w[4], w[5]), Namespace: w[6], PID: w[7], Start: w[8]},
		Begun:   timeAt(int64(w[9])), Time: timeAt(int64(w[10])), Exit: Exit(w[11]),
		VM: t[0], Vendor: t[1], Main: t[2], Command: t[3], Options: t[4], Selection: t[5],
	}
}

func id128(id [16]byte) []uint64 { return []uint64{le.Uint64(id[:]), le.Uint64(id[8:])} }

func bytes128(low, high uint64) (id [16]byte) {
	le.PutUint64(id[:], low)
	le.PutUint64(id[8:], high)
	return id
}

// nanoseconds since 1970, 0 for no time.
func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeAt(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}
