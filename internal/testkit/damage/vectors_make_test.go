package damage

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// firstVectors returns the archives of the first index.
func firstVectors() []specimen.Specimen {
	return append(specimen.All(), specimen.Specimen{Name: "large", Domain: layout.DomainHotSpot, Build: large})
}

// makeVectors makes an index of archives anew, and the files by name.
func makeVectors(all []specimen.Specimen) (*vectorIndex, map[string][]byte, error) {
	index, files := &vectorIndex{Format: 1}, map[string][]byte{}
	for _, s := range all {
		data, err := s.Bytes()
		if err != nil {
			return nil, nil, err
		}
		m := maker{file: s.Name + ".parc", data: data}
		text, err := jsonOf(data)
		if err != nil {
			return nil, nil, err
		}
		files[m.file], files[m.file+".json"] = data, text
		index.Sound = append(index.Sound, soundVector{m.file, int64(len(data)), fmt.Sprintf("%016x", xxhash.Sum64(data)),
			fmt.Sprintf("domain %d, %s", s.Domain, s.Domain)})
		if s.Name == "large" {
			continue
		}
		broken, err := m.all()
		if err != nil {
			return nil, nil, err
		}
		index.Broken = append(index.Broken, broken...)
	}
	return index, files, nil
}

// large has an rw that is aligned to 64 KiB, and an index of many lines.
func large() *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "Example VM 1"})
	for i := range 900 {
		m := b.Method(layout.Key{Class: fmt.Sprintf("example/C%d", i/9), Name: fmt.Sprintf("m%d", i%9), Signature: "()V"})
		p := b.ProfileIn(m, uint64(i+1), profileset.NoContext)
		p.Invocations(uint64(1000 * i))
		p.Branch(builder.At{Bci: 4}, builder.Branch{Taken: uint64(i), Displacement: 32, NotTaken: 7})
		_ = p.Done() // the builder keeps an error
	}
	return b
}

// jsonOf returns the JSON dump of an archive.
func jsonOf(data []byte) ([]byte, error) {
	m, err := archive.FromBytes("", data, archive.Options{})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = jsondump.WriteArchive(&out, reader.New(m))
	return out.Bytes(), err
}

// judge returns what this module says of an archive: the error of a reader that prints all of it, or else the first
// problem of a verifier; nil if it is sound.
func judge(data []byte) (level string, e *vectorError) {
	m, err := archive.FromBytes("", data, archive.Options{})
	if err == nil {
		err = jsondump.WriteArchive(io.Discard, reader.New(m))
	}
	if err != nil {
		return forReaders, errorOf(err)
	}
	r, err := verify.Store(context.Background(), reader.New(m), nil)
	if err == nil && r.Sound() {
		return "", nil
	}
	return forVerifiers, errorOf(errors.Join(append(r.Problems, err)...))
}

// errorOf returns the place and kind of an error.
func errorOf(err error) *vectorError {
	var at *layout.Error
	if !errors.As(err, &at) {
		return &vectorError{Kind: err.Error()}
	}
	e := &vectorError{Region: at.Region.String(), Offset: at.Offset, Kind: "corrupt"}
	for kind, sentinel := range map[string]error{"format": layout.ErrFormat, "unsupported": layout.ErrVersion,
		"truncated": layout.ErrTruncated, "checksum": layout.ErrChecksum} {
		if errors.Is(err, sentinel) {
			e.Kind = kind
		}
	}
	return e
}

// A maker breaks an archive.
type maker struct {
	file string
	data []byte
	seen map[string]bool // problems, without numbers
	made []brokenVector
}

// perArchive is how many mutants of each archive become vectors at most, and tried how many are made.
const (
	perArchive = 22
	tried      = 3000
)

// all returns broken archives: of the first specimen those with a wrong header, and of each those with records that
// are wrong in different ways.
func (m *maker) all() ([]brokenVector, error) {
	m.seen = map[string]bool{}
	if m.file == "hotspot.parc" {
		if err := m.headers(); err != nil {
			return nil, err
		}
	}
	mutants, err := newMutator(m.data, 1)
	if err != nil {
		return nil, err
	}
	for n, found := 0, len(m.made); n < tried && len(m.made) < found+perArchive; n++ {
		if changes := mutants.Next(); len(changes) == 1 {
			m.add(changes[0], mutants.Bytes(), mutants.Edits())
		}
	}
	return m.made, nil
}

// headers breaks every field of the header, and the frame of the file.
func (m *maker) headers() error {
	f, err := newForger(m.data)
	if err != nil {
		return err
	}
	for _, field := range headerFields {
		for _, value := range field.values {
			f.Set(reference{At: field.at, Form: field.form}, value)
			m.seen = map[string]bool{}
			m.add(fmt.Sprintf("%s: 0x%x", field.name, value), f.Bytes(), f.Edits())
		}
	}
	for _, size := range []int64{1, 8, 63, 64, 639, 640, int64(len(m.data)) - 8} {
		m.addCut(size)
	}
	for _, at := range []int64{0, 33, 640, 700, int64(len(m.data)) - 1} { // without right sums
		changed := bytes.Clone(m.data)
		changed[at] ^= 0x40
		m.seen = map[string]bool{}
		m.add("a bit is flipped", changed, []edit{{At: at &^ 7, New: le.Uint64(changed[at&^7:])}})
	}
	return nil
}

// headerFields are values that fields of the header cannot have.
var headerFields = []struct {
	name   string
	at     int64
	form   referenceForm
	values []uint64
}{
	{"magic", 0, offsetForm, []uint64{0}},
	{"byte order", 8, narrowForm, []uint64{0x0d0c0b0a}},
	{"version", 12, narrowForm, []uint64{0, 2, 1 << 31, 1<<31 | 8, 1<<31 | 9}},
	{"file size", 24, offsetForm, []uint64{0, 1 << 40}},
	{"required features", 40, offsetForm, []uint64{1, 1 << 63}},
	{"domain", 64, narrowForm, []uint64{0, 8}},
	{"page shift", 68, narrowForm, []uint64{11}},
	{"requested base", 72, offsetForm, []uint64{1, 1<<62 + 4096}},
	{"rw alignment", 80, narrowForm, []uint64{5}},
	{"max probe", 84, narrowForm, []uint64{256, 0}},
	{"seed", 88, offsetForm, []uint64{77}},
	{"index lines", 104, offsetForm, []uint64{0, 1 << 60}},
	{"flags", 152, offsetForm, []uint64{4}},
	{"type rows", 160, narrowForm, []uint64{65}},
	{"producer", 224, offsetForm, []uint64{0}},
	{"region ps, offset", 288, offsetForm, []uint64{0, 648}},
	{"region ix, size", 320, offsetForm, []uint64{1 << 63, 7}},
	{"region ro, protection", 352, narrowForm, []uint64{2}},
	{"region bm, kind", 380, narrowForm, []uint64{5}},
	{"section symbols, size", 440, offsetForm, []uint64{8}},
	{"section contexts, offset", 496, offsetForm, []uint64{0}},
	{"count of methods", 512, offsetForm, []uint64{1 << 40, 0}},
	{"count of contexts", 536, offsetForm, []uint64{1}},
	{"count of types", 544, offsetForm, []uint64{0}},
	{"count of entries", 560, offsetForm, []uint64{1}},
	{"summary", 576, offsetForm, []uint64{1}},
	{"producer id", 608, offsetForm, []uint64{1}},
}

// addCut adds the archive cut short.
func (m *maker) addCut(size int64) {
	if level, e := judge(m.data[:size]); e != nil {
		m.made = append(m.made, brokenVector{Of: m.file, Wrong: fmt.Sprintf("cut to %d bytes", size), Level: level,
			Error: *e, Size: size})
	}
}

var parts = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+|"[^"]*"`)

// add adds a broken archive, unless it is sound or one of the same kind is there.
func (m *maker) add(wrong string, data []byte, edits []edit) {
	level, e := judge(data)
	if e == nil {
		return
	}
	kind := level + " " + e.Region + " " + parts.ReplaceAllString(wrong, "N") + " " + e.Kind
	if m.seen[kind] {
		return
	}
	m.seen[kind] = true
	b := brokenVector{Of: m.file, Wrong: wrong, Level: level, Error: *e}
	for _, edit := range edits {
		b.Edits = append(b.Edits, vectorEdit{edit.At, hex.EncodeToString(le.AppendUint64(nil, edit.New))})
	}
	m.made = append(m.made, b)
}
