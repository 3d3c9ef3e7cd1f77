package text

import (
	"bytes"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
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

// Import reads one dump. Of the configuration it ignores Params and Flags. Producer, time, fingerprint and dump id
// override the text.
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	r, err := i.readText(in)
	if err != nil {
		return nil, err
	}
	r.AsLLVM = i.AsLLVM
	r.HasAccount = true
	r.Facts = map[string]any{"domain": r.Domain.String(), "profiles": r.Profiles, "lines": r.Lines}
	return &r.Report, nil
}

// An Exporter writes the text of an archive. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "text", About: "everything, in text for review and version control; import reads it again"}
}
