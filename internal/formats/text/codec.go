package text

import (
	"bytes"
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/reader"
)

// An Importer reads the text of an archive.
type Importer struct {
	// AsLLVM merges several texts as llvm-profdata merge does.
	AsLLVM bool
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "text", About: "what profarc export -t text writes, perhaps edited",
		Options: []codec.Option{parse.AsLLVMOption(&i.AsLLVM)}}
}

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool { return Detect(head) }

// DetectNear reports whether the input must be a text with a mistake. It accepts mistakes after the first word.
func (*Importer) DetectNear(head []byte) bool { return bytes.HasPrefix(head, []byte("profarc ")) }

// Import reads one dump. See [Read].
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	b, r, err := Read(in, ReadOptions{Name: in.Name, Config: in.Config, Unordered: in.Unordered})
	if err != nil {
		return nil, err
	}
	return &codec.Report{
		Dumps: []*builder.Builder{b}, AsLLVM: i.AsLLVM, Totals: r.Totals, HasAccount: true,
		Methods: r.Methods, Entries: r.Entries, Lost: r.Lost,
		Facts: map[string]any{"domain": r.Domain.String(), "profiles": r.Profiles, "lines": r.Lines},
	}, nil
}

// An Exporter writes the text of an archive. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "text", About: "everything, in text for review and version control; import reads it again"}
}

// Export writes the whole archive. See [Write].
func (*Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	r, err := Write(w, s)
	if err != nil {
		return nil, err
	}
	return &codec.Report{Totals: r.Totals, Lost: r.Lost}, nil
}
