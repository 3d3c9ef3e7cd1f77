// Package manyarchives creates archives to merge for tests and benchmarks. It generates methods, or changes the counts
// of a real archive.
package manyarchives

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Options describe the archives to create.
type Options struct {
	N       int    // number of archives
	Methods int    // methods per generated archive
	Own     int    // methods that no other archive has
	Shared  int    // number of methods from which the others are drawn
	From    string // archive whose counts are changed, or "" to generate methods
	Out     string // output directory
}

// Make writes the archives. It is deterministic.
func Make(o Options) error {
	if err := os.MkdirAll(o.Out, 0o777); err != nil {
		return err
	}
	var source *reader.Store
	if o.From != "" {
		var err error
		source, err = reader.Open(o.From, archive.Options{})
		if err != nil {
			return err
		}
		defer source.Close()
	}
	for i := range o.N {
		data, err := archiveBytes(source, i, &o)
		if err == nil {
			err = os.WriteFile(filepath.Join(o.Out, fmt.Sprintf("run-%06d.parc", i)), data, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// archiveBytes returns the bytes of archive i.
func archiveBytes(source *reader.Store, i int, o *Options) ([]byte, error) {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	var b *builder.Builder
	var err error
	if source != nil {
		b, err = scaleArchive(source, i, r)
	} else {
		b, err = generateArchive(i, o, r)
	}
	if err != nil {
		return nil, err
	}
	data, _, err := b.Bytes()
	return data, err
}

func dumpConfig(i int, params layout.Params) builder.Config {
	c := builder.Config{Params: params, Producer: "bench", DumpTime: time.Unix(int64(1_700_000_000+i), 0)}
	binary.LittleEndian.PutUint64(c.DumpID[:], uint64(i)+1)
	return c
}

func methodKey(m int) layout.Key {
	return layout.Key{Class: fmt.Sprintf("com/example/p%02x/Class%05d", m*7919%251, m/8),
		Name: fmt.Sprintf("method%d", m%8), Signature: "(ILjava/lang/Object;)V"}
}

// generateArchive generates archive i.
func generateArchive(i int, o *Options, r *rand.Rand) (*builder.Builder, error) {
	b := builder.New(layout.DomainHotSpot, dumpConfig(i, layout.Params{TypeProfileWidth: 2}))
	drawn := r.Perm(o.Shared)[:o.Methods-o.Own]
	for at := range o.Own {
		drawn = append(drawn, o.Shared+i*o.Own+at)
	}
	for _, m := range drawn {
		p := b.Profile(methodKey(m), 1)
		p.Invocations(r.Uint64N(1e6))
		for bci := range int32(1 + m%3) {
			p.Branch(builder.At{Bci: 8 * bci}, builder.Branch{Taken: r.Uint64N(1e5), NotTaken: r.Uint64N(1e5)})
			p.VirtualCall(builder.At{Bci: 8*bci + 4}, builder.Others{},
				builder.Row{Type: b.Type(builder.TypeKey{Name: fmt.Sprintf("com/example/T%d", m%997)}), Count: r.Uint64N(1e4)})
		}
		if err := p.Done(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// scaleArchive copies 90% of the profiles of s and scales their counts.
func scaleArchive(s *reader.Store, i int, r *rand.Rand) (*builder.Builder, error) {
	b := builder.New(s.Header().Domain, dumpConfig(i, s.Header().Params))
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		k, err := m.Key()
		if err != nil {
			return nil, err
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return nil, err
			}
			if _, inContext, _ := p.Context(); inContext || r.IntN(10) == 0 {
				continue
			}
			if err := scaleProfile(b, b.Method(k), s, p, r); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

func scaleProfile(b *builder.Builder, m builder.MethodRef, s *reader.Store, p reader.Profile, r *rand.Rand) error {
	to := b.ProfileIn(m, p.Code(), profileset.NoContext)
	scale := r.Float64() + 0.5
	if n, ok := p.Invocations(); ok {
		to.Invocations(uint64(float64(n.Trained()) * scale))
	}
	for section := disk.SectionData; section < disk.SectionDirectory; section++ {
		for e := range p.Section(section) {
			entry := disk.Entry(append([]byte(nil), e.Bytes()...))
			for cell := range (*mapped.Mapping)(s.Mapping()).Shape().Counts(entry) {
				entry.SetCell(cell, uint64(float64(entry.Cell(cell))*scale))
			}
			var failed error
			to.Internal().Copy(section, entry, func(cell int, kind disk.CellKind) uint64 {
				ref, err := refOf(b, e, cell, kind)
				if err != nil {
					failed = err
				}
				return ref
			})
			if failed != nil {
				return failed
			}
		}
	}
	return to.Done()
}

// refOf returns the reference for the type or method in a cell.
func refOf(b *builder.Builder, e reader.Entry, cell int, kind disk.CellKind) (uint64, error) {
	if kind == disk.CellMethod {
		m, err := e.MethodCell(cell)
		if err != nil || !m.Valid() {
			return 0, err
		}
		k, err := m.Key()
		return uint64(b.Method(k)), err
	}
	w := e.TypeCell(cell)
	if !w.Type.Valid() {
		return 0, nil
	}
	name, err := w.Type.Name()
	if err != nil {
		return 0, err
	}
	loader, err := w.Type.Loader()
	return uint64(b.Type(builder.TypeKey{Name: name.String(), Loader: loader.String()})), err
}
