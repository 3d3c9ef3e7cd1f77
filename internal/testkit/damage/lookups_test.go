package damage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// mostOfLarge bounds the methods that lookups ask for in one archive.
const mostOfLarge = 40

// A lookupWriter writes lookups.txt.
type lookupWriter struct {
	out                bytes.Buffer
	questions, refused int
}

// ask writes a question and its answer.
func (w *lookupWriter) ask(data []byte, q lookup) {
	answer, err := q.answer(data)
	if err != nil {
		answer = "  refused " + errorOf(err).Kind + "\n"
	}
	w.questions++
	fmt.Fprintf(&w.out, "%s\n%s", q, answer)
}

// writeSound writes lookups of all kinds in a sound archive.
func (w *lookupWriter) writeSound(file string) error {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return err
	}
	questions, err := lookupsOf(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(&w.out, "\nopen %s\n", file)
	for _, q := range questions {
		w.ask(data, q)
	}
	return nil
}

// writeBroken writes a lookup that a broken archive must refuse. An archive without one is left out: a lookup need not
// read the broken part. So are archives with a broken ex, which a reader can leave alone. A lookup without a context
// comes first, since the Go reader also checks the profiles of callers.
func (w *lookupWriter) writeBroken(b *brokenVector) error {
	sound, err := os.ReadFile(filepath.Join(dir, b.Of))
	if err != nil {
		return err
	}
	data, err := b.Apply(sound)
	if err != nil {
		return err
	}
	questions, err := lookupsOf(sound)
	if err != nil || b.Error.Region == "ex" {
		return err
	}
	slices.SortStableFunc(questions, func(a, b lookup) int { return cmp.Compare(len(a.frames), len(b.frames)) })
	for _, q := range questions {
		if _, err := q.answer(data); err != nil {
			w.writeEdits(b)
			w.ask(data, q)
			w.refused++
			break
		}
	}
	return nil
}

// writeEdits writes how a broken archive is made from a sound one.
func (w *lookupWriter) writeEdits(b *brokenVector) {
	fmt.Fprintf(&w.out, "\n# %s\nopen %s\n", b.Wrong, b.Of)
	if b.Size > 0 {
		fmt.Fprintf(&w.out, "cut %d\n", b.Size)
	}
	for _, e := range b.Edits {
		fmt.Fprintf(&w.out, "edit %d %s\n", e.At, e.Bytes)
	}
}

// A lookup is a question: a key with the frames of a context, or an id.
type lookup struct {
	key    layout.Key
	frames []lookupFrame
	id     uint64
	byID   bool
}

// A lookupFrame is a frame of a context, given by the key of the caller.
type lookupFrame struct {
	point  int32
	caller layout.Key
}

func (q lookup) String() string {
	if q.byID {
		return fmt.Sprintf("id %016x", q.id)
	}
	line := "key " + plainKey(q.key)
	for _, f := range q.frames {
		line += fmt.Sprintf(" %d %s", f.point, plainKey(f.caller))
	}
	return line
}

// plainText escapes the bytes that separate fields and all that are not printable ASCII.
func plainText(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' || c == '%' || c == '|' {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func plainKey(k layout.Key) string {
	return strings.Join([]string{plainText(k.Class), plainText(k.Name), plainText(k.Signature), plainText(k.Loader)}, "|")
}

// lookupsOf returns the questions about a sound archive: each method by key and by id, in each of its contexts and in
// some that do not exist, and keys that differ from the key of a method in one part.
func lookupsOf(data []byte) (all []lookup, err error) {
	m, err := archive.FromBytes("", data, archive.Options{})
	if err != nil {
		return nil, err
	}
	s := reader.New(m)
	every := s.Header().Counts.Methods/mostOfLarge + 1
	n := uint64(0)
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		if n++; (n-1)%every != 0 {
			continue
		}
		questions, err := lookupsOfMethod(m)
		if err != nil {
			return nil, err
		}
		all = append(all, questions...)
	}
	return append(all, lookup{}, lookup{byID: true}), nil
}

// lookupsOfMethod returns the questions about one method.
func lookupsOfMethod(m reader.Method) ([]lookup, error) {
	k, err := m.Key()
	if err != nil {
		return nil, err
	}
	all := []lookup{{key: k}, {id: m.ID(), byID: true}}
	for c, err := range m.Contexts() {
		if err != nil {
			return nil, err
		}
		frames, err := c.Frames()
		if err != nil {
			return nil, err
		}
		q := lookup{key: k}
		for _, f := range frames {
			caller, err := f.Caller.Key()
			if err != nil {
				return nil, err
			}
			q.frames = append(q.frames, lookupFrame{f.Point, caller})
		}
		longer := append(q.frames[:len(q.frames):len(q.frames)], lookupFrame{7, k})
		other := append([]lookupFrame{{q.frames[0].point + 1, q.frames[0].caller}}, q.frames[1:]...)
		all = append(all, q, lookup{key: k, frames: longer}, lookup{key: k, frames: other})
	}
	for _, part := range []*string{&k.Class, &k.Name, &k.Signature, &k.Loader} {
		was := *part
		*part += "x"
		all = append(all, lookup{key: k})
		*part = was
	}
	return all, nil
}

// answer returns the lines that answer a question.
func (q lookup) answer(data []byte) (string, error) {
	mapping, err := archive.FromBytes("", data, archive.Options{})
	if err != nil {
		return "", err
	}
	s := reader.New(mapping)
	m, err := q.find(s)
	if err == reader.ErrNotFound {
		return "  absent\n", nil
	}
	if err == reader.ErrAmbiguous {
		return "  ambiguous\n", nil
	}
	if err != nil {
		return "", err
	}
	k, err := m.Key()
	if err != nil {
		return "", err
	}
	p := &plainPrinter{s: s}
	fmt.Fprintf(&p.out, "  method %016x %d %s\n", m.ID(), m.Flags()&0x38, plainKey(k))
	frames, err := q.findFrames(s)
	if err != nil {
		return "", err
	}
	return p.printProfiles(m, frames)
}

func (q lookup) find(s *reader.Store) (reader.Method, error) {
	if q.byID {
		return s.FindID(q.id)
	}
	return s.Find(q.key)
}

// findFrames returns the frames up to the first caller that is not in the archive.
func (q lookup) findFrames(s *reader.Store) (frames []reader.Frame, err error) {
	for _, f := range q.frames {
		caller, err := s.Find(f.caller)
		if err == reader.ErrNotFound {
			break
		}
		if err != nil {
			return nil, err
		}
		frames = append(frames, reader.Frame{Caller: caller, Point: f.point})
	}
	return frames, nil
}

// isMissing reports whether an error says that a profile is not there.
func isMissing(err error) bool { return errors.Is(err, reader.ErrNotFound) }
