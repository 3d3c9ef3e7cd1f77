package convert

import (
	"io"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/text"
	"github.com/profarc/profarc/reader"
)

func recogniseText(head []byte, _ bool) bool { return text.Detect(head) }

func readText(r io.Reader, name string, c ImportConfig) (*imported, error) {
	b, report, err := text.Read(r, text.ReadOptions{Name: name, Config: c.Config, Unordered: c.Unordered})
	if err != nil {
		return nil, err
	}
	return &imported{
		Builder: b, methods: report.Methods, entries: report.Entries, lost: []app.Loss{},
		facts: map[string]any{"domain": report.Domain.String(), "profiles": report.Profiles, "lines": report.Lines},
	}, nil
}

func writeText(w io.Writer, s *reader.Store, _ exportOptions) ([]app.Loss, error) {
	report, err := text.Write(w, s)
	if err != nil {
		return nil, err
	}
	return app.LossesOf(report.Lost), nil
}
