package llvm

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"strings"

	"github.com/profarc/profarc/internal/disk"
)

// A section is what lies behind the table of buckets, and which word of the
// header has its offset.
type section struct {
	since int // the version from which on the header has the word
	bytes []byte
}

// sections encodes what the version has behind the table, in file order, and
// counts the rest as lost.
func (w *indexedWriter) sections(p *indexedPlan) []section {
	f := &p.facts
	var all []section
	if w.encoding.version >= sinceBinaryIDs {
		all = append(all, section{sinceBinaryIDs, binaryIDSection(f.binaryIDs)})
	} else {
		w.lost.Add(LossBinaryIDs, len(f.binaryIDs))
	}
	if w.encoding.version >= sinceVTables {
		all = append(all, section{sinceVTables, vtableSection(w.keptVTables(f.vtables))})
	}
	if w.encoding.version < sinceVTables || !w.options.KeepVTableNames {
		w.lost.Add(LossVTableNames, len(f.vtables))
	}
	if p.variant&VariantTemporal != 0 {
		all = append(all, section{sinceTraces, traceSection(f.traces, f.stream)})
	} else {
		w.lost.Add(LossTraces, len(f.traces))
	}
	return all
}

func (w *indexedWriter) keptVTables(names []string) []string {
	if w.options.KeepVTableNames {
		return names
	}
	return nil
}

// binaryIDSection is u64 size of what follows, { u64 length, bytes, padding }.
func binaryIDSection(ids []string) []byte {
	b := make([]byte, 8)
	for _, id := range ids {
		b = le.AppendUint64(b, uint64(len(id)))
		b = append(b, id...)
		b = padWord(b)
	}
	le.PutUint64(b, uint64(len(b)-8))
	return b
}

// vtableSection is u64 size, and a chunk of names: ULEB128 of their length,
// ULEB128 of the packed length, the names as zlib packs them. LLVM's zlib and
// Go's do not pack to the same bytes; they unpack to the same.
func vtableSection(names []string) []byte {
	b := make([]byte, 8)
	if len(names) > 0 {
		text := strings.Join(names, string(rune(nameSeparator)))
		packed := pack(text)
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = binary.AppendUvarint(b, uint64(len(packed)))
		b = append(b, packed...)
	}
	le.PutUint64(b, uint64(len(b)-8))
	return padWord(b)
}

func pack(text string) []byte {
	var packed bytes.Buffer
	z, _ := zlib.NewWriterLevel(&packed, zlib.BestCompression) // fails for an unknown level alone
	_, _ = z.Write([]byte(text))                               // to memory
	_ = z.Close()
	return packed.Bytes()
}

// traceSection is u64 traces, u64 size of the stream that they were chosen
// from, { u64 weight, u64 functions, u64 id of each }.
func traceSection(traces []trace, stream uint64) []byte {
	b := le.AppendUint64(nil, uint64(len(traces)))
	b = le.AppendUint64(b, stream)
	for _, t := range traces {
		b = le.AppendUint64(b, t.weight)
		b = le.AppendUint64(b, uint64(len(t.ids)))
		for _, id := range t.ids {
			b = le.AppendUint64(b, id)
		}
	}
	return b
}

// padWord appends zeros up to a multiple of 8.
func padWord(b []byte) []byte {
	return append(b, make([]byte, disk.AlignUp(int64(len(b)), 8)-int64(len(b)))...)
}
