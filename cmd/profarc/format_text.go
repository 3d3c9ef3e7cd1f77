package main

import (
	"io"

	"github.com/profarc/profarc/formats/text"
	"github.com/profarc/profarc/reader"
)

func recogniseText(head []byte, _ bool) bool { return text.Detect(head) }

func readText(r io.Reader, name string, c importConfig) (*imported, error) {
	b, report, err := text.Read(r, text.ReadOptions{Name: name, Config: c.Config, Unordered: c.unordered})
	if err != nil {
		return nil, err
	}
	return &imported{
		builder: b, methods: report.Methods, entries: report.Entries, lost: []loss{},
		facts: map[string]any{"domain": report.Domain.String(), "profiles": report.Profiles, "lines": report.Lines},
	}, nil
}

func writeText(w io.Writer, s *reader.Store, _ exportOptions) ([]loss, error) {
	report, err := text.Write(w, s)
	if err != nil {
		return nil, err
	}
	return losses(report.Lost), nil
}
