package convert

import (
	"io"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/jamaica"
	"github.com/profarc/profarc/reader"
)

func recogniseJamaica(head []byte, _ bool) bool { return jamaica.Detect(head) }

func readJamaica(r io.Reader, name string, c ImportConfig) (*imported, error) {
	o := jamaica.ReadOptions{Name: name, Config: c.Config}
	var p imported
	var report *jamaica.Report
	var err error
	if c.runs {
		p.runs, report, err = jamaica.ReadRuns(r, o)
	} else {
		p.Builder, report, err = jamaica.Read(r, o)
	}
	if err != nil {
		return nil, err
	}
	p.methods, p.entries, p.lost = report.Methods, report.Entries, app.LossesOf(report.Lost)
	p.facts = map[string]any{"runs": report.Runs, "lines": report.Lines, "cut_signatures": report.Cut}
	return &p, nil
}

func writeJamaica(w io.Writer, s *reader.Store, _ exportOptions) ([]app.Loss, error) {
	r, err := jamaica.Write(w, s)
	if err != nil {
		return nil, err
	}
	return app.LossesOf(r.Lost), nil
}
