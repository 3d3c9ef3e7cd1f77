package sample

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/profarc/profarc/internal/formats/llvm"
)

// ErrNotPlain means that a profile has calling contexts or checksums.
var ErrNotPlain = errors.New("the profile has calling contexts or checksums, which llvm-sample-binary does not hold: " +
	"use llvm-sample-extbinary or llvm-sample-text")

// A binaryWriter appends the parts of a binary profile.
type binaryWriter struct {
	profile  *Profile
	names    []string
	indices  map[string]uint64 // of names
	contexts map[string]uint64 // index by the text of a context
	out      []byte
}

func newBinaryWriter(p *Profile) *binaryWriter {
	w := &binaryWriter{profile: p, indices: map[string]uint64{}, contexts: map[string]uint64{}}
	for _, f := range p.Functions {
		f.eachName(func(name string) {
			if _, ok := w.indices[name]; !ok {
				w.indices[name] = 0
				w.names = append(w.names, name)
			}
		})
	}
	slices.SortFunc(w.names, p.compareNames)
	for i, name := range w.names {
		w.indices[name] = uint64(i)
	}
	return w
}

func (w *binaryWriter) uleb(numbers ...uint64) {
	for _, n := range numbers {
		w.out = binary.AppendUvarint(w.out, n)
	}
}

func (w *binaryWriter) writeText(text string) { w.out = append(append(w.out, text...), 0) }

// WriteBinary writes the profile in binary form.
func (p *Profile) WriteBinary(to io.Writer) error {
	if p.Calling || p.Probes {
		return ErrNotPlain
	}
	w := newBinaryWriter(p)
	w.uleb(magicBase|kindBinary, formatVersion)
	w.writeSummary()
	w.writeNames()
	for _, f := range p.Functions {
		w.writeTop(f)
	}
	_, err := to.Write(w.out)
	return err
}

func (w *binaryWriter) writeSummary() {
	s, maxHead := w.profile.summarize()
	w.uleb(s.TotalCount, s.MaxBlockCount, maxHead, s.Blocks, s.Functions, uint64(len(s.Cutoffs)))
	for _, c := range s.Cutoffs {
		w.uleb(c.Share, c.MinCount, c.Blocks)
	}
}

func (w *binaryWriter) writeNames() {
	w.uleb(uint64(len(w.names)))
	for _, name := range w.names {
		w.writeText(textOfName(name))
	}
}

func (w *binaryWriter) writeTop(f *Function) {
	w.uleb(f.Head, w.indexOf(f))
	w.writeBody(f)
}

// indexOf returns the index of the context of a function, or of its name.
func (w *binaryWriter) indexOf(f *Function) uint64 {
	if w.profile.Calling {
		return w.contexts[f.contextText()]
	}
	return w.indices[f.Name]
}

func (w *binaryWriter) writeLocation(l Location) { w.uleb(uint64(l.Line), uint64(l.Discriminator)) }

func (w *binaryWriter) writeBody(f *Function) {
	w.uleb(f.Total, uint64(len(f.Lines)))
	for _, l := range f.Lines {
		w.writeLocation(l.Location)
		w.uleb(l.Samples, uint64(len(l.Targets)))
		for _, t := range l.Targets {
			w.uleb(w.indices[t.Name], t.Count)
		}
	}
	w.uleb(uint64(len(f.Calls)))
	for _, c := range f.Calls {
		w.writeLocation(c.Location)
		w.uleb(w.indices[c.Name])
		w.writeBody(c.Function)
	}
}

// summarize returns the summary of all lines and the highest number of samples at an entry. Functions with several
// contexts are counted as one.
func (p *Profile) summarize() (s *llvm.Summary, maxHead uint64) {
	functions := p.Functions
	if p.Calling {
		functions = p.withoutContexts()
	}
	s = llvm.SummarizeCounts(func(yield func(n uint64) bool) {
		for _, f := range functions {
			f.eachCount(yield)
		}
	})
	s.Functions = uint64(len(functions))
	for _, f := range functions {
		maxHead = max(maxHead, f.Head)
	}
	return s, maxHead
}

func (p *Profile) withoutContexts() []*Function {
	var flat Profile
	for _, f := range p.Functions {
		g := &Function{Name: f.Name, Head: f.Head}
		for _, l := range f.Lines {
			g.Lines = append(g.Lines, Line{Location: l.Location, Samples: l.Samples})
		}
		flat.Functions = append(flat.Functions, g)
	}
	flat.sort()
	return flat.Functions
}

// eachCount yields the samples of the lines, also of inlined calls, unless they are counted elsewhere.
func (f *Function) eachCount(yield func(n uint64) bool) {
	for _, l := range f.Lines {
		yield(l.Samples)
	}
	for _, c := range f.Calls {
		if c.Attributes&attributeDuplicated == 0 {
			c.eachCount(yield)
		}
	}
}
