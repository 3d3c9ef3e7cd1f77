package hotspot

import (
	"fmt"
	"math"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// counts ends the line of an entry that b begins, and prints its further lines.
func (w *textWriter) counts(b []byte, e placedEntry) error {
	switch e.tag {
	case layout.TagBit:
		w.flush(b)
	case layout.TagCounter, layout.TagCallType:
		c, _ := e.Counter()
		w.flush(appendNumber(b, "count(", c.Load(), ")"))
		return w.callTypes(e.Entry)
	case layout.TagJump:
		j, _ := e.Jump()
		w.flush(appendDisplacement(appendNumber(b, "taken(", j.Taken.Load(), ") "), j.Displacement))
	case layout.TagBranch:
		j, _ := e.Branch()
		w.flush(appendDisplacement(appendNumber(b, "taken(", j.Taken.Load(), ") "), j.Displacement))
		w.flush(appendNumber(append(w.line, indent...), "not taken(", j.NotTaken.Load(), ")"))
	case layout.TagMultiBranch:
		w.cases(b, e)
	case layout.TagRet:
		w.returns(b, e)
	default:
		return w.receivers(b, e)
	}
	return nil
}

func appendDisplacement(b []byte, d int64) []byte {
	return append(strconv.AppendInt(append(b, "displacement("...), d, 10), ')')
}

func (w *textWriter) cases(b []byte, e placedEntry) {
	r, _ := e.Rows()
	b = appendNumber(b, "default_count(", r.Head(0).Load(), ") ")
	w.flush(appendDisplacement(b, int64(r.Head(1).Load())))
	for i := range r.Len() {
		b = appendNumber(append(w.line, indent...), "count(", r.Cell(i, 0).Load(), ") ")
		w.flush(appendDisplacement(b, int64(r.Cell(i, 1).Load())))
	}
}

// returns prints the rows of a Ret entry that are in use. A merged one, which
// is wide, has neither a count of its own nor displacements.
func (w *textWriter) returns(b []byte, e placedEntry) {
	var rows []byte
	var count uint64
	n := 0
	r, _ := e.Rows()
	for i := range r.Len() {
		bci, times, displacement := r.Cell(i, 0).Load(), r.Cell(i, 1).Load(), int64(0)
		if e.Tag().Wide() {
			point, _ := disk.UnpackSuccessor(bci)
			bci, count = uint64(point), count+times
		} else {
			displacement = int64(r.Cell(i, 2).Load())
		}
		if bci == freeReturn.Bci {
			continue
		}
		n++
		rows = appendNumber(append(rows, indent...), "bci(", bci, ": ")
		rows = append(appendDisplacement(appendNumber(rows, "count(", times, ") "), displacement), ")\n"...)
	}
	if !e.Tag().Wide() {
		count = r.Head(0).Load()
	}
	w.flush(appendNumber(appendNumber(b, "count(", count, ") "), "entries(", uint64(n), ")"))
	_, _ = w.out.Write(rows)
}

// receivers prints a type profile, and the types behind it.
func (w *textWriter) receivers(b []byte, e placedEntry) error {
	r, _ := e.Receivers()
	total := share{}
	count := r.Other().Load()
	total.add(count)
	n := 0
	for row := range r.All() {
		total.add(row.Count.Load())
		n++
	}
	b = appendNumber(b, "count(", printedCount(count), ") ")
	if w.settings.shape.Gap > 0 {
		gap, _ := r.Gap()
		b = appendNumber(b, "nonprofiled_count(", gap.Load(), ") ")
	}
	w.flush(appendNumber(b, "entries(", uint64(n), ")"))
	for row := range r.All() {
		spelling, err := w.spelling(row.Type)
		if err != nil {
			return err
		}
		times := row.Count.Load()
		b = appendNumber(append(append(w.line, indent...), spelling...), "(", times, " ")
		w.flush(append(total.append(b, times), ')'))
	}
	return w.callTypes(e.Entry)
}

// printedCount is the inverse of signExtend.
func printedCount(cell uint64) uint64 {
	if n := int64(cell); n < 0 && n >= math.MinInt32 {
		return uint64(uint32(cell))
	}
	return cell
}

// A share is the sum that the shares of receiver rows are of. HotSpot adds in
// 32 bits with sign, so that a sum may be negative.
type share struct {
	sum  int32
	wide uint64 // the sum, if some count has more than 32 bits
	over bool
}

func (s *share) add(count uint64) {
	s.sum += int32(uint32(count))
	s.wide += printedCount(count)
	s.over = s.over || printedCount(count) > math.MaxUint32
}

// append appends the share of a row as C prints a float with %4.2f.
func (s *share) append(b []byte, count uint64) []byte {
	f := float32(uint32(count)) / float32(s.sum)
	if s.over {
		f = float32(float64(count) / float64(s.wide))
	}
	switch {
	case math.IsNaN(float64(f)):
		return append(b, "-nan"...) // 0/0 sets the sign on x86
	case math.IsInf(float64(f), 0):
		return append(b, " inf"...)
	}
	return fmt.Appendf(b, "%4.2f", f)
}

// spelling gives the spelling of a type, made once.
func (w *textWriter) spelling(t reader.Type) (string, error) {
	if s, ok := w.types[t.Ordinal()]; ok {
		return s, nil
	}
	name, err := internalName(t)
	if err != nil {
		return "", err
	}
	s := string(names.AppendPrinted(nil, name))
	w.types[t.Ordinal()] = s
	return s, nil
}

// callTypes prints the types of a call, if the entry has any.
func (w *textWriter) callTypes(e reader.Entry) error {
	types, ok := e.Types()
	if !ok {
		return nil
	}
	if err := w.slots(argumentsLine, types); err != nil {
		return err
	}
	result, ok := types.Return()
	if !ok {
		return nil
	}
	b, err := w.appendWord(append(w.line, returnLine...), result)
	w.flush(b)
	return err
}

// parameters prints the types of the method's parameters.
func (w *textWriter) parameters(p reader.Profile) error {
	for e := range p.Section(layout.SectionParameters) {
		w.report.Entries++
		types, _ := e.Types()
		if err := w.slots(parametersLines[w.settings.dialect], types); err != nil {
			return err
		}
		if w.settings.dialect == JDK25 {
			w.flush(w.line)
		}
	}
	return nil
}

// slots prints a list of types, the first on a line that begins with name.
func (w *textWriter) slots(name string, types reader.TypeList) error {
	for i := range types.Args() {
		slot, word := types.Arg(i)
		b := append(append(w.line, name...), slotName(i)...)
		b, err := w.appendWord(appendNumber(b, "", slot, ") "), word)
		if err != nil {
			return err
		}
		w.flush(b)
		name = indent
	}
	return nil
}

func (w *textWriter) appendWord(b []byte, word reader.TypeWord) ([]byte, error) {
	switch {
	case word.Unknown:
		b = append(b, unknownType...)
		if word.Type.Valid() {
			w.report.Lost.Add(LossTypeWithMore, 1)
		}
	case !word.Type.Valid():
		b = append(b, noType...)
	default:
		spelling, err := w.spelling(word.Type)
		if err != nil {
			return b, err
		}
		b = append(b, spelling...)
	}
	if word.NullSeen {
		b = append(b, nullSeenSuffix...)
	}
	return b, nil
}
