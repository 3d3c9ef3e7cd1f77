package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/reader"
)

func recogniseIprof(head []byte, _ bool) bool { return iprof.Detect(head) }

func readIprof(r io.Reader, name string, c importConfig) (*imported, error) {
	b, report, err := iprof.Read(r, iprof.ReadOptions{Name: name, Config: c.Config, Unordered: c.unordered, Salvage: c.salvage})
	if err != nil {
		return nil, err
	}
	lost := losses(report.Lost)
	facts := map[string]any{
		"version": report.Version, "never_ran": report.Seen, "profiles": report.Profiles, "stacks": report.Stacks,
		"ids_without_a_row": report.Dangling, "odd_items": report.Odd,
	}
	if s := report.Salvage; s != nil {
		facts["salvaged"] = map[string]any{"offset": s.Offset, "last": s.Last, "left": s.Left, "reason": s.Reason.Error()}
		lost = append(lost, loss{What: fmt.Sprintf("bytes from byte %d on, behind %s: they are not whole, from byte %d on", s.Offset, s.Last, s.Reason.Offset), Count: int(s.Left)})
	}
	return &imported{builder: b, methods: report.Methods, entries: report.Entries, lost: lost, facts: facts}, nil
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

func writeIprof(w io.Writer, s *reader.Store, o exportOptions) ([]loss, error) {
	if v := o.iprof.version; v != "" && !slices.Contains(iprof.Versions, v) {
		return nil, usagef("--iprof-version %s: use one of %s", v, strings.Join(iprof.Versions, ", "))
	}
	r, err := iprof.Write(w, s, iprof.WriteOptions{Version: o.iprof.version, Prune: o.iprof.prune})
	if err != nil {
		return nil, err
	}
	return losses(r.Lost), nil
}
