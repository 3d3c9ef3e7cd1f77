package llvm

import (
	"bytes"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// function prints all records of a function.
func (w *textWriter) function(m reader.Method, records []record) error {
	if w.options.Sparse && allCold(records) {
		w.report.Cold++
		return nil
	}
	name, err := m.Name()
	if err != nil {
		return err
	}
	if !w.canPrint(name) {
		w.lost.Add(LossTextName, 1)
		return nil
	}
	for i := range records {
		w.text = append(name.AppendTo(w.text[:0]), '\n')
		w.counters(&records[i])
		if err := w.sites(&records[i]); err != nil {
			return err
		}
		w.text = append(w.text, '\n')
		if _, err := w.out.Write(w.text); err != nil {
			return err
		}
	}
	w.report.Names++
	w.report.Functions += len(records)
	return nil
}

// canPrint reports whether a name is one line that readers take for a name: not
// blank, no comment, no mark, and no number of bytes of a bitmap.
func (w *textWriter) canPrint(name reader.Name) bool {
	w.name = name.AppendTo(w.name[:0])
	b := w.name
	return len(bytes.TrimSpace(b)) > 0 && b[0] != '#' && b[0] != ':' && !bytes.ContainsAny(b, "\n\r") &&
		!(b[0] == '$' && len(bytes.Trim(b[1:], "0123456789")) == 0)
}

// say appends a comment and a number.
func (w *textWriter) say(comment string, n uint64) {
	w.text = append(w.text, "# "+comment+":\n"...)
	w.number(n)
}

func (w *textWriter) number(n uint64) { w.text = append(strconv.AppendUint(w.text, n, 10), '\n') }

func (w *textWriter) counters(r *record) {
	w.say("Func Hash", r.hash)
	w.say("Num Counters", uint64(len(r.counts)/disk.CellSize))
	w.text = append(w.text, "# Counter Values:\n"...)
	for at := 0; at < len(r.counts); at += disk.CellSize {
		w.number(le.Uint64(r.counts[at:]))
	}
	if len(r.bitmap) == 0 {
		return
	}
	w.text = append(w.text, "# Num Bitmap Bytes:\n$"...)
	w.number(uint64(len(r.bitmap)))
	w.text = append(w.text, "# Bitmap Byte Values:\n"...)
	for _, v := range r.bitmap {
		w.text = append(strconv.AppendUint(append(w.text, "0x"...), uint64(v), 16), '\n')
	}
	w.text = append(w.text, '\n')
}

// valueKindNames are LLVM's names of the value kinds.
var valueKindNames = [valueKindsKnown]string{"IPVK_IndirectCallTarget", "IPVK_MemOPSize", "IPVK_VTableTarget"}

func (w *textWriter) sites(r *record) error {
	kinds := 0
	for _, sites := range r.sites {
		if len(sites) > 0 {
			kinds++
		}
	}
	if kinds == 0 {
		return nil
	}
	w.say("Num Value Kinds", uint64(kinds))
	for kind, sites := range r.sites {
		if len(sites) == 0 {
			continue
		}
		w.say("ValueKind = "+valueKindNames[kind], uint64(kind))
		w.say("NumValueSites", uint64(len(sites)))
		for _, site := range sites {
			if err := w.site(kind, site); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *textWriter) site(kind int, site disk.Entry) error {
	w.values = appendSiteValues(w.values[:0], site)
	w.lost.Add(LossValues, site.Rows()-len(w.values))
	w.number(uint64(len(w.values)))
	for _, v := range w.values {
		if err := w.value(kind, v.value); err != nil {
			return err
		}
		w.text = append(w.text, ':')
		w.number(v.count)
	}
	return nil
}

// externalSymbol stands for a function or vtable that has no name.
const externalSymbol = "** External Symbol **"

// value appends what a value stands for.
func (w *textWriter) value(kind int, value uint64) error {
	switch kind {
	case layout.SubMemOpSize:
		w.text = strconv.AppendUint(w.text, value, 10)
		return nil
	case layout.SubIndirectCall:
		name, ok, err := w.functionName(value)
		if ok {
			w.text = name.AppendTo(w.text)
			return nil
		}
		w.text = append(w.text, externalSymbol...)
		return err
	}
	if name, ok := w.names.VTable(value); ok && w.options.KeepVTableNames {
		w.named[name] = true
		w.text = append(w.text, name...)
		return nil
	}
	w.text = append(w.text, externalSymbol...)
	return nil
}

// functionName is the name of a function that is printed; ok is false if none
// with that id is.
func (w *textWriter) functionName(id uint64) (name reader.Name, ok bool, err error) {
	m, ok, err := w.names.method(id)
	if !ok {
		return reader.Name{}, false, err
	}
	if printed, err := w.printed(m); !printed {
		return reader.Name{}, false, err
	}
	name, err = m.Name()
	return name, err == nil && w.canPrint(name), err
}

// printed reports whether a function is one of those that are printed.
func (w *textWriter) printed(m reader.Method) (bool, error) {
	if !m.Profiled() || !w.options.Sparse {
		return m.Profiled(), nil
	}
	records, err := w.called.of(m)
	return len(records) > 0 && !allCold(records), err
}
