package convert

import (
	"errors"
	"io"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/methods"
	"github.com/profarc/profarc/formats/hotspot/replay"
	"github.com/profarc/profarc/reader"
)

func recogniseReplay(head []byte, _ bool) bool { return replay.Detect(head) }

func readReplay(r io.Reader, name string, c ImportConfig) (*imported, error) {
	b, report, err := replay.Read(r, replay.ReadOptions{Name: name, Config: c.Config, Unordered: c.Unordered})
	if err != nil {
		return nil, err
	}
	return &imported{
		Builder: b, methods: report.Methods, entries: report.Entries, lost: app.LossesOf(report.Lost),
		facts: map[string]any{"version": report.Version, "classes": report.Classes, "inlined": report.Inlines},
	}, nil
}

// writeReplay writes the replay file of the method that the user named.
func writeReplay(w io.Writer, s *reader.Store, o exportOptions) ([]app.Loss, error) {
	if o.method == "" {
		return nil, app.Usagef("a replay file is of one method: name it with --method, for instance 'java.lang.String::length()I'")
	}
	m, err := methods.Find(s, methods.KeysOf(s.Header().Domain, o.method, o.loader))
	if errors.Is(err, reader.ErrNotFound) {
		return nil, app.Usagef("--method %s: no such method in the archive; profarc show ARCHIVE lists them, and which have a --loader", o.method)
	}
	if err != nil {
		return nil, err
	}
	key, err := m.Key()
	if err != nil {
		return nil, err
	}
	r, err := replay.Write(w, s, replay.WriteOptions{Method: key, ClassPath: o.classPath})
	if err != nil {
		return nil, err
	}
	return app.LossesOf(r.Lost), nil
}
