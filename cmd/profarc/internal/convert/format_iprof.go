package convert

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/iprof"
	"github.com/profarc/profarc/reader"
)

func recogniseIprof(head []byte, _ bool) bool { return iprof.Detect(head) }

func readIprof(r io.Reader, name string, c ImportConfig) (*imported, error) {
	b, report, err := iprof.Read(r, iprof.ReadOptions{Name: name, Config: c.Config, Unordered: c.Unordered, Salvage: c.salvage})
	if err != nil {
		return nil, err
	}
	p := &imported{Builder: b, methods: report.Methods, entries: report.Entries, lost: app.LossesOf(report.Lost)}
	of := ""
	if c.several {
		of = "of " + name + " "
	}
	p.notes = iprofNotes(report, of)
	p.facts = map[string]any{
		"version": report.Version, "never_ran": report.Seen, "profiles": report.Profiles, "stacks": report.Stacks,
		"ids_without_a_row": report.Dangling, "ids_repeated": report.Repeated, "odd_items": report.Odd,
	}
	if s := report.Salvage; s != nil {
		p.facts["salvaged"] = map[string]any{"offset": s.Offset, "last": s.Last, "left": s.Left, "reason": s.Reason.Error()}
		what := fmt.Sprintf("bytes %sfrom byte %d on, behind %s: at byte %d, %s", of, s.Offset, s.Last, s.Reason.Offset, s.Reason.Reason())
		p.lost = append(p.lost, app.Loss{What: what, Count: int(s.Left)})
		p.notes = append(p.notes, fmt.Sprintf("odd    which methods %snever ran is not known: what is missing may say that they did", of))
	}
	return p, nil
}

// iprofNotes say what of a file is kept otherwise than it should be; of names
// the file, if there are several.
func iprofNotes(r *iprof.Report, of string) (notes []string) {
	if n := r.Odd - r.TextOnly; n > 0 {
		notes = append(notes, fmt.Sprintf("odd    %d of %d items %shave more than an iprof file has there, and are kept as text, too", n, r.Items, of))
	}
	if r.TextOnly > 0 {
		notes = append(notes, fmt.Sprintf("odd    %d of %d items %sare not what an iprof file has there and are kept as text, first: %s", r.TextOnly, r.Items, of, r.FirstOdd))
	}
	if r.Dangling > 0 {
		notes = append(notes, fmt.Sprintf("odd    %d ids %shave no row of a type or method: they are kept under their number", r.Dangling, of))
	}
	if r.Repeated > 0 {
		notes = append(notes, fmt.Sprintf("odd    %d rows %shave the id of a row before them: what names the id is taken for the first", r.Repeated, of))
	}
	return notes
}

// iprofExportOptions are what a user says of an iprof file to be written.
type iprofExportOptions struct {
	version string
	prune   bool
}

func (o *iprofExportOptions) addTo(f *pflag.FlagSet) {
	f.StringVar(&o.version, "iprof-version", "", "iprof: version to write, one of "+strings.Join(iprof.Versions, ", ")+"; that of the source without it")
	f.BoolVar(&o.prune, "prune", false, "iprof: leave out methods and types that nothing refers to")
}

func writeIprof(w io.Writer, s *reader.Store, o exportOptions) ([]app.Loss, error) {
	if v := o.iprof.version; v != "" && !slices.Contains(iprof.Versions, v) {
		return nil, app.Usagef("--iprof-version %s: use one of %s", v, strings.Join(iprof.Versions, ", "))
	}
	r, err := iprof.Write(w, s, iprof.WriteOptions{Version: o.iprof.version, Prune: o.iprof.prune})
	if err != nil {
		return nil, err
	}
	return app.LossesOf(r.Lost), nil
}
