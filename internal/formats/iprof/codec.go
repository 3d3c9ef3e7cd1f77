package iprof

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// An Importer reads iprof files.
type Importer struct {
	// Salvage reads the complete items of a truncated or damaged file.
	Salvage bool
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "iprof", About: "what a binary of native-image --pgo-instrument writes at its end",
		Options: []codec.Option{
			parse.SalvageOption(&i.Salvage),
		}}
}

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool { return Detect(head) }

// DetectNear reports whether head resembles a damaged profile, an object with the key of a section in a later part.
func (*Importer) DetectNear(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && sectionKey().Match(head)
}

var sectionKey = lazyregexp.New(`"(` + strings.Join(sectionKeys[calls:], "|") + `)"\s*:`)

// Import reads one file, which is one dump.
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	r, err := i.readProfile(in)
	if err != nil {
		return nil, err
	}
	name := ""
	if in.Several {
		name = "of " + in.Name + " "
	}
	r.Facts = map[string]any{
		"version": r.Version, "never_ran": r.Seen, "profiles": r.Profiles, "stacks": r.Stacks,
		"ids_without_a_row": r.Dangling, "ids_repeated": r.Repeated, "odd_items": r.Lost.Count(LossOdd),
	}
	r.addNotes(name)
	if r.Salvage != nil {
		r.Salvage.addToReport(&r.Report, name)
	}
	return &r.Report, nil
}

// addNotes describes items whose form in the archive differs from the file. ofName names one of several files.
func (r *Report) addNotes(ofName string) {
	note := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	if r.Dangling > 0 {
		note("%d ids %shave no row of a type or method: they are kept under their number", r.Dangling, ofName)
	}
	if r.Repeated > 0 {
		note("%d rows %shave the id of a row before them: what names the id is taken for the first", r.Repeated, ofName)
	}
}

func (s *Salvage) addToReport(r *codec.Report, ofName string) {
	r.Salvaged = fmt.Sprintf("byte %d: %s", s.Reason.Offset, s.Reason.Reason())
	r.Facts["salvaged"] = map[string]any{"offset": s.Offset, "last": s.Last, "left": s.Left, "reason": s.Reason.Error()}
	what := fmt.Sprintf("bytes %sfrom byte %d on, after %s: at byte %d, %s", ofName, s.Offset, s.Last, s.Reason.Offset,
		s.Reason.Reason())
	r.Lost = append(r.Lost, codec.Loss{What: codec.LossKind(what), Count: int(s.Left)})
	r.Notes = append(r.Notes, fmt.Sprintf("it is not known which methods %snever ran: the missing part may count them",
		ofName))
}

// An Exporter writes iprof files.
type Exporter struct {
	// Version is one of Versions. "" selects the version of the imported file, or else the oldest version that can
	// express the archive.
	Version string
	// Prune omits unreferenced methods and types, including unexecuted methods.
	Prune bool
}

// Format implements [codec.Exporter].
func (e *Exporter) Format() codec.Format {
	versions := strings.Join(Versions, ", ")
	version := codec.NewOption("iprof-version", &e.Version, "version to write, one of "+versions+
		"; that of the source without it")
	version.Check = func() error {
		if e.Version != "" && !slices.Contains(Versions, e.Version) {
			return fmt.Errorf("use one of %s", versions)
		}
		return nil
	}
	return codec.Format{Name: "iprof", About: "what native-image --pgo reads (domain graal)", Units: units,
		Options: []codec.Option{
			version, codec.NewOption("prune", &e.Prune, "leave out methods and types that nothing refers to"),
		}}
}

// units are the units of the counts in a file.
var units = []string{ledger.Invocations, ledger.Calls, ledger.BranchCounts, ledger.TypeCounts, ledger.Monitors,
	ledger.Samples}

// Detect reports whether a file that begins with head is probably a profile. After unknown keys, types and methods
// alone do not identify one.
func Detect(head []byte) bool {
	s := scanner{buf: append(head[:len(head):len(head)], 0), end: len(head)}
	if !s.readToken('{') {
		return false
	}
	for others := false; ; {
		from := s.pos
		key, ok := s.readMemberKey()
		if !ok {
			return !others && cutInKey(bytes.TrimSpace(head[from:]))
		}
		kind := kindOf[string(key)]
		if kind >= calls || oldKeys[string(key)] != foreign || kind > version && !others {
			return true
		}
		others = others || kind == foreign
		if !s.skipValue() || !s.readToken(',') {
			return s.pos == s.end && kind == version
		}
	}
}

// cutInKey reports whether the rest of a head is a prefix of a profile's key.
func cutInKey(rest []byte) bool {
	for key := range kindOf {
		if strings.HasPrefix(`"`+key+`":`, string(rest)) {
			return true
		}
	}
	return false
}

// Losses of reading a file.
const (
	LossOdd     codec.LossKind = "items that are not what they should be: left out, or what is unknown in them"
	LossForeign codec.LossKind = "keys that have no meaning here: kept only where a file is imported alone and in order"
)

// Losses of writing a file.
const (
	LossEntry      codec.LossKind = "entries that iprof has no section for"
	LossRows       codec.LossKind = "counts of other types, nulls and traps of type profiles"
	LossCounter    codec.LossKind = "counters, sizes and histories of methods that iprof does not have"
	LossCode       codec.LossKind = "ids of the code that a profile is of"
	LossInstanceof codec.LossKind = "instanceof profiles: write version 1.1.0 to keep them"
	LossSignature  codec.LossKind = "signatures that are not spelled like Graal's"
	LossLoader     codec.LossKind = "class loaders and flags"
	LossCount      codec.LossKind = "counts above 2^63-1: written as 2^63-1"
	LossNoType     codec.LossKind = "rows without a type"
	LossVersion    codec.LossKind = "spelling of a version before 0.4.0: a later version is written"
	LossOrder      codec.LossKind = "the source order: the archive has other profiles by now"
	LossTable      codec.LossKind = "tables that iprof has no section for"
	PrunedMethods  codec.LossKind = "methods that nothing refers to: pruned"
	PrunedTypes    codec.LossKind = "types that nothing refers to: pruned"
)

// A Report describes a file that was read.
type Report struct {
	codec.Report
	Version  string // version of the file
	Types    int
	Profiles int // number of methods in contexts
	Stacks   int // number of sampled stacks
	Seen     int // number of instrumented methods without counts
	// Dangling counts the ids of methods and types without a row. Their names are the ids.
	Dangling int
	// Repeated counts the rows with the id of an earlier row. All uses of the id refer to the first row.
	Repeated int
	Salvage  *Salvage // unread part of the file, or nil
}

// Salvage describes the unread part of a file.
type Salvage struct {
	Offset int64  // end offset of the last complete record
	Last   string // name of that record
	Left   int64  // number of bytes after it
	Reason *Error
}

// Sentinels that an [*Error] matches.
var (
	// ErrSyntax is returned for text that is invalid at its position in a profile.
	ErrSyntax = errors.New("not what an iprof file has here")
	// ErrCut is returned for a truncated file.
	ErrCut = errors.New("the profile is cut off")
	// ErrSalvageable is returned with ErrCut if [Importer].Salvage would read the complete records of the file.
	ErrSalvageable = errors.New("what is whole can be read")
	// ErrNoProfile is returned for JSON that is not a profile.
	ErrNoProfile = errors.New("no GraalVM profile: run a binary that native-image --pgo-instrument made, and import " +
		"its .iprof file")
	// ErrVersion is returned for a later major version.
	ErrVersion = errors.New("a later major version of iprof: use a newer profarc")
)

// An Error describes an error in a profile and where it is.
type Error struct {
	Name   string // file name, or ""
	Offset int64  // byte offset
	Last   string // last complete record before the error, or ""
	Kind   error  // sentinel that the error matches
	Detail string // expected or found text, or advice

	salvageable bool
}

// Error returns, for example, "app.iprof: byte 812: the profile is cut off: ...".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "%s: ", e.Name)
	}
	fmt.Fprintf(&b, "byte %d", e.Offset)
	if e.Last != "" {
		fmt.Fprintf(&b, ", after %s", e.Last)
	}
	fmt.Fprintf(&b, ": %s", e.Reason())
	return b.String()
}

// Reason returns the error without the file and the offset.
func (e *Error) Reason() string {
	if e.Detail == "" {
		return e.Kind.Error()
	}
	return fmt.Sprintf("%v: %s", e.Kind, e.Detail)
}

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }

// Is reports whether target is ErrSalvageable and e is salvageable.
func (e *Error) Is(target error) bool { return target == ErrSalvageable && e.salvageable }
