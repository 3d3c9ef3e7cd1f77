package main

import (
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	example "github.com/profarc/profarc/example/vm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A plain is the profile of a function in a VM without archives.
type plain struct {
	Key   string
	Code  uint64
	Calls uint64
	Cells []uint64 // cells of all entries
}

// A field has files of several formats with the same profiles.
type field struct {
	keys   []layout.Key // functions in the order of their calls
	joined []string     // keys as strings
	ids    []uint64     // ids of the keys
	cells  []int        // number of cells of each function
	paths  map[string]string
}

// newField writes the profiles of an archive in the other formats.
func newField(dir, path string) (*field, error) {
	s, err := reader.Open(path, archive.Options{CheckAll: true})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	f := &field{paths: map[string]string{"archive": path}}
	var all []plain
	p := example.Generate()
	for _, fn := range p.Order(len(p.Functions)) {
		one, err := plainOf(s, fn.Key())
		if err != nil {
			return nil, fmt.Errorf("%v: %w", fn.Key(), err)
		}
		f.keys = append(f.keys, fn.Key())
		f.joined = append(f.joined, one.Key)
		f.cells = append(f.cells, len(one.Cells))
		f.ids = append(f.ids, fn.Key().ID(s.Header().Domain))
		all = append(all, one)
	}
	for name, write := range map[string]func(*os.File) error{
		"flat": func(w *os.File) error { _, err := w.Write(encodeFlat(all)); return err },
		"gob":  func(w *os.File) error { return gob.NewEncoder(w).Encode(all) },
		"json": func(w *os.File) error { return json.NewEncoder(w).Encode(all) },
	} {
		f.paths[name] = filepath.Join(dir, name)
		if err := writeTo(f.paths[name], write); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func writeTo(path string, write func(*os.File) error) error {
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	return w.Close()
}

func plainOf(s *reader.Store, k layout.Key) (one plain, err error) {
	p, err := s.Profile(k, layout.CodeAny)
	if err != nil {
		return one, err
	}
	calls, _ := p.Invocations()
	one = plain{Key: k.Class + "." + k.Name, Code: p.Code(), Calls: calls.Load()}
	for e := range p.Entries() {
		for i := range e.Cells() {
			one.Cells = append(one.Cells, e.Cell(i).Trained())
		}
	}
	return one, nil
}

// encodeFlat encodes profiles in a simple format. It holds the number of functions and of cells, and for each function
// the length of the key, the key, the number of cells, code, calls, and the cells.
func encodeFlat(all []plain) (b []byte) {
	cells := 0
	for _, p := range all {
		cells += len(p.Cells)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(all)))
	b = binary.LittleEndian.AppendUint32(b, uint32(cells))
	for _, p := range all {
		b = append(b, byte(len(p.Key)))
		b = append(b, p.Key...)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(p.Cells)))
		for _, v := range append([]uint64{p.Code, p.Calls}, p.Cells...) {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	return b
}

// readFlat reads and indexes a flat file, which it trusts. It allocates memory for all functions at once.
func readFlat(path string) (map[string]*plain, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := make([]plain, binary.LittleEndian.Uint32(b))
	cells := make([]uint64, binary.LittleEndian.Uint32(b[4:]))
	found := make(map[string]*plain, len(all))
	b = b[8:]
	for i := range all {
		p := &all[i]
		n := int(b[0])
		p.Key = string(b[1 : 1+n])
		b = b[1+n:]
		n = int(binary.LittleEndian.Uint16(b))
		p.Cells = cells[:n:n]
		cells = cells[n:]
		p.Code, p.Calls = binary.LittleEndian.Uint64(b[2:]), binary.LittleEndian.Uint64(b[10:])
		b = b[18:]
		for i := range p.Cells {
			p.Cells[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		b = b[8*n:]
		found[p.Key] = p
	}
	return found, nil
}

// readCoded decodes a file and indexes it.
func readCoded(path string, decode func(*os.File, *[]plain) error) (map[string]*plain, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var all []plain
	if err := decode(r, &all); err != nil {
		return nil, err
	}
	found := make(map[string]*plain, len(all))
	for i := range all {
		found[all[i].Key] = &all[i]
	}
	return found, nil
}

func decodeGob(r *os.File, all *[]plain) error  { return gob.NewDecoder(r).Decode(all) }
func decodeJSON(r *os.File, all *[]plain) error { return json.NewDecoder(r).Decode(all) }
