package sample

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"slices"
	"strings"
)

// An Extensible has the options of extensible profiles.
type Extensible struct {
	Compress bool // compresses all sections
	GUIDs    bool // replaces names by the GUIDs of functions, as it is always done if a name is unknown
	Partial  bool // marks the profile as partial, because functions are missing from it
}

// listedSections are the sections in the order of the table at the beginning, which is not the order of their data.
var listedSections = [...]uint64{sectionSummary, sectionNames, sectionContexts, sectionOffsets, sectionFunctions,
	sectionSymbols, sectionMetadata}

// A sectionWriter writes an extensible profile.
type sectionWriter struct {
	*binaryWriter
	guids    bool
	partial  bool
	ordered  []*Function // by context if there are contexts
	offsets  map[*Function]uint64
	sections []section // in the order of their data
}

// Write writes a profile in the extensible binary form.
func (e Extensible) Write(to io.Writer, p *Profile) error {
	w := sectionWriter{binaryWriter: newBinaryWriter(p), offsets: map[*Function]uint64{}}
	w.partial = e.Partial || p.Partial
	w.guids = e.GUIDs || slices.ContainsFunc(w.names, func(name string) bool { _, only := guidOfName(name); return only })
	w.ordered = p.Functions
	if p.Calling {
		w.ordered = slices.SortedFunc(slices.Values(p.Functions), p.compareContexts)
	}
	for _, step := range []struct {
		kind  uint64
		write func() (flags uint64)
	}{{sectionSummary, w.writeSummarySection}, {sectionNames, w.writeNameSection}, {sectionContexts, w.writeContexts},
		{sectionFunctions, w.writeFunctions}, {sectionSymbols, w.writeSymbols}, {sectionOffsets, w.writeOffsets},
		{sectionMetadata, w.writeMetadata}} {
		w.out = nil
		s := section{kind: step.kind, flags: step.write()}
		s.data = w.out
		if e.Compress {
			s.flags |= flagCompressed
			s.data = compress(w.out)
		}
		w.sections = append(w.sections, s)
	}
	_, err := to.Write(w.layOut())
	for _, s := range w.sections {
		if err == nil {
			_, err = to.Write(s.data)
		}
	}
	return err
}

func compress(data []byte) []byte {
	if len(data) == 0 {
		return nil
	}
	var packed bytes.Buffer
	z, _ := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	_, _ = z.Write(data) // a buffer takes all
	_ = z.Close()
	head := binary.AppendUvarint(nil, uint64(len(data)))
	return append(binary.AppendUvarint(head, uint64(packed.Len())), packed.Bytes()...)
}

// layOut sets the offsets of the sections and returns what comes before them.
func (w *sectionWriter) layOut() []byte {
	const rowSize = 4 * 8
	w.out = nil
	w.uleb(magicBase|kindExtended, formatVersion)
	at := uint64(len(w.out) + 8 + rowSize*len(listedSections))
	for i := range w.sections {
		w.sections[i].offset = at
		at += uint64(len(w.sections[i].data))
	}
	w.uint64s(uint64(len(listedSections)))
	for _, kind := range listedSections {
		s := w.sections[slices.IndexFunc(w.sections, func(s section) bool { return s.kind == kind })]
		w.uint64s(s.kind, s.flags, s.offset, uint64(len(s.data)))
	}
	return w.out
}

func (w *sectionWriter) uint64s(numbers ...uint64) {
	for _, n := range numbers {
		w.out = binary.LittleEndian.AppendUint64(w.out, n)
	}
}

// flagIf returns the flag if it is set.
func flagIf(set bool, flag uint64) uint64 {
	if set {
		return flag
	}
	return 0
}

func (w *sectionWriter) writeSummarySection() (flags uint64) {
	w.writeSummary()
	p := w.profile
	return flagIf(w.partial, flagPartial) | flagIf(p.Calling, flagCalling) | flagIf(p.FlowStages, flagFlowStages) |
		flagIf(p.PreInlined, flagPreInlined)
}

func (w *sectionWriter) writeNameSection() (flags uint64) {
	unique := w.profile.UniqueNames
	if !w.guids {
		w.writeNames()
		unique = slices.ContainsFunc(w.names, func(name string) bool { return strings.Contains(name, uniqueSuffix) })
		return flagIf(unique, flagUniqueNames)
	}
	w.uleb(uint64(len(w.names)))
	for _, name := range w.names {
		w.uint64s(GUID(name))
	}
	return flagIf(unique, flagUniqueNames) | flagGUIDs | flagFixedGUIDs
}

func (w *sectionWriter) writeContexts() (flags uint64) {
	if !w.profile.Calling {
		w.uleb(0)
		return 0
	}
	w.uleb(uint64(len(w.ordered)))
	for i, f := range w.ordered {
		w.contexts[f.contextText()] = uint64(i)
		frames := f.frames()
		w.uleb(uint64(len(frames)))
		for _, frame := range frames {
			w.uleb(w.indices[frame.Name])
			w.writeLocation(frame.Location)
		}
	}
	return 0
}

func (w *sectionWriter) writeFunctions() (flags uint64) {
	for _, f := range w.profile.Functions {
		w.offsets[f] = uint64(len(w.out))
		w.writeTop(f)
	}
	return 0
}

func (w *sectionWriter) writeSymbols() (flags uint64) {
	for _, s := range w.profile.Symbols {
		w.writeText(s)
	}
	return 0
}

func (w *sectionWriter) writeOffsets() (flags uint64) {
	w.uleb(uint64(len(w.ordered)))
	for _, f := range w.ordered {
		w.uleb(w.indexOf(f), w.offsets[f])
	}
	return flagIf(w.profile.Calling, flagOrdered)
}

func (w *sectionWriter) writeMetadata() (flags uint64) {
	p := w.profile
	flags = flagIf(p.Probes, flagProbes) | flagIf(p.Calling || p.PreInlined, flagAttributes)
	if flags != 0 {
		for _, f := range metadataOrder(p) {
			w.uleb(w.indexOf(f))
			w.writeMetadataOf(f, flags)
		}
	}
	return flags
}

func (w *sectionWriter) writeMetadataOf(f *Function, flags uint64) {
	if flags&flagProbes != 0 {
		w.uleb(f.Checksum)
	}
	if flags&flagAttributes != 0 {
		w.uleb(f.Attributes)
	}
	if w.profile.Calling {
		return
	}
	w.uleb(uint64(len(f.Calls)))
	for _, c := range f.Calls {
		w.writeLocation(c.Location)
		w.uleb(w.indices[c.Name])
		w.writeMetadataOf(c.Function, flags)
	}
}
