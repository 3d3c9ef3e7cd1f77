package replay

import (
	"errors"
	"io"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Importer reads replay files. It has no options.
type Importer struct{}

// Format implements [codec.Importer].
func (*Importer) Format() codec.Format {
	return codec.Format{Name: "replay", About: "what java -XX:CompileCommand=option,Class::method,bool,DumpReplay,true writes"}
}

// Options implements [codec.Importer].
func (*Importer) Options() []codec.Option { return nil }

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool { return Detect(head) }

// Import reads one file, which is one dump. See [Read].
func (*Importer) Import(in *codec.Input, batch *codec.Batch) (*codec.Report, error) {
	b, r, err := Read(in, ReadOptions{Name: in.Name, Config: in.Config, Unordered: in.Unordered})
	if err != nil {
		return nil, err
	}
	batch.AddDump(b)
	return &codec.Report{
		Methods: r.Methods, Entries: r.Entries, Lost: r.Lost,
		Facts: map[string]any{"version": r.Version, "classes": r.Classes, "inlined": r.Inlines},
	}, nil
}

// An Exporter writes the replay file of one method's compilation.
type Exporter struct {
	// Method is the method to be compiled, as java.lang.String::length()I.
	Method string
	Loader string // the name of its class loader; empty for the boot loader
	// ClassPath names what holds the class files, see [WriteOptions].
	ClassPath []string
	// Find finds the method in an archive; nil to read Method as above. The
	// error matches [reader.ErrNotFound] if the archive does not have it.
	Find func(s *reader.Store, method, loader string) (reader.Method, error)
}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "replay", About: "the compilation of one method for java -XX:+ReplayCompiles of JDK 25 (domain hotspot)"}
}

// Options implements [codec.Exporter].
func (e *Exporter) Options() []codec.Option {
	return []codec.Option{
		codec.String("method", &e.Method, "method to be compiled, as lookup takes it").WithCheck(e.checkMethod),
		codec.String("loader", &e.Loader, "class loader of the method"),
		codec.Strings("class-path", &e.ClassPath, "directory, jar or JDK that holds class files; may be given more than once"),
	}
}

func (e *Exporter) checkMethod() error {
	if e.Method == "" {
		return errors.New("a replay file is of one method: name it, for instance java.lang.String::length()I")
	}
	return nil
}

// Export writes the replay file of the method. See [Write].
func (e *Exporter) Export(w io.Writer, s *reader.Store) (codec.Losses, error) {
	find := e.Find
	if find == nil {
		find = findSpelled
	}
	m, err := find(s, e.Method, e.Loader)
	if errors.Is(err, reader.ErrNotFound) {
		return nil, &codec.OptionError{Option: "method", Value: e.Method, Err: err}
	}
	if err != nil {
		return nil, err
	}
	key, err := m.Key()
	if err != nil {
		return nil, err
	}
	r, err := Write(w, s, WriteOptions{Method: key, ClassPath: e.ClassPath})
	if err != nil {
		return nil, err
	}
	return r.Lost, nil
}

// findSpelled finds a method written as java.lang.String::length()I.
func findSpelled(s *reader.Store, method, loader string) (reader.Method, error) {
	class, rest, _ := strings.Cut(method, "::")
	name, signature := rest, ""
	if at := strings.IndexByte(rest, '('); at >= 0 {
		name, signature = rest[:at], rest[at:]
	}
	return s.Find(layout.Key{Class: strings.ReplaceAll(class, ".", "/"), Name: name, Signature: signature, Loader: loader})
}
