package sample

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/formats/parse"
)

// ErrSyntax means that a line does not belong to a sample profile.
var ErrSyntax = errors.New("not a line of LLVM's sample profiles")

const (
	frameSeparator = " @ "
	checksumMark   = "!CFGChecksum:"
	attributesMark = "!Attributes:"
	typesMark      = "<vt-call> " // before the classes of objects at a virtual call, since LLVM 21
	newTypesMark   = "vtables "

	attributePreInlined = 2 // the call should be inlined
	attributeDuplicated = 4 // the samples are counted again elsewhere
)

// maxInlined limits how deeply inlined calls nest, and the frames of a context.
const maxInlined = 1000

type textReader struct {
	*parse.Lines
	profile  *Profile
	open     []*Function // functions around the line, the outermost first
	metadata int         // depth of the last line of metadata; 0 for none
}

// readText reads a profile in text form.
func readText(in io.Reader, name string) (*Profile, error) {
	r := textReader{Lines: parse.NewLines(in, name), profile: &Profile{}}
	for line, err := range r.All() {
		if err != nil {
			return nil, err
		}
		text := string(bytes.TrimRight(line, "\r"))
		blanks := len(text) - len(strings.TrimLeft(text, " "))
		if blanks == len(text) || text[blanks] == guidMark {
			continue
		}
		if strings.Contains(text, "\x00") {
			return nil, r.fail("a name without NUL bytes", text)
		}
		if expected := r.addLine(text, blanks); expected != "" {
			return nil, r.fail(expected, text)
		}
	}
	if len(r.profile.Functions) == 0 {
		return nil, r.fail("a function", "")
	}
	return r.profile, nil
}

func (r *textReader) fail(expected, found string) error {
	err := r.Fail(ErrSyntax)
	err.Expected = expected
	err.Found = parse.Shorten([]byte(found))
	return err
}

// addLine adds a line and returns what it should have been, or "".
func (r *textReader) addLine(text string, blanks int) (expected string) {
	if blanks == 0 {
		return r.addHead(text)
	}
	rest := text[blanks:]
	if len(r.open) == 0 {
		return "a function before its lines"
	}
	if rest[0] != '!' && blanks == r.metadata {
		return "the next function, since the checksum or the attributes end one"
	}
	r.open = r.open[:min(blanks, len(r.open))]
	f := r.open[len(r.open)-1]
	if rest[0] == '!' {
		return r.addMetadata(f, rest, blanks)
	}
	location, rest, ok := strings.Cut(rest, ": ")
	at, valid := parseLocation(location)
	if !ok || !valid || rest == "" {
		return "LINE: or LINE.DISCRIMINATOR:, with a line up to 65535, and a blank after it"
	}
	if isCount(firstWord(rest)) {
		return addBody(f, at, rest)
	}
	if rest[0] >= '0' && rest[0] <= '9' && !isGUIDCall(rest) {
		return "a count of at most 64 bits and a blank, or an inlined function with no digit before its name"
	}
	if strings.HasPrefix(rest, typesMark) || strings.HasPrefix(rest, newTypesMark) {
		r.profile.types++
		return ""
	}
	name, total, ok := cutCount(rest)
	if !ok || len(r.open) > maxInlined {
		return "an inlined function and its samples, as foo:12"
	}
	inlined := &Function{Name: nameOfText(name), Total: total}
	f.Calls = append(f.Calls, Call{at, inlined})
	r.open = append(r.open, inlined)
	r.metadata = 0
	return ""
}

// addHead adds a function without a caller.
func (r *textReader) addHead(text string) (expected string) {
	rest, head, okHead := cutCount(text)
	name, total, okTotal := cutCount(rest)
	if !okHead || !okTotal {
		return "NAME:SAMPLES:SAMPLES AT ITS ENTRY"
	}
	f := &Function{Total: total, Head: head}
	context := strings.HasPrefix(name, "[")
	if len(r.profile.Functions) > 0 && context != r.profile.Calling {
		return "functions with a context, or without, but not both"
	}
	r.profile.Calling = context
	if context && (!strings.HasSuffix(name, "]") || !f.parseContext(name[1:len(name)-1])) {
		return "a context that ends with ], of at most 1000 frames"
	}
	if !context {
		f.Name = nameOfText(name)
	}
	r.profile.Functions = append(r.profile.Functions, f)
	r.open = []*Function{f}
	r.metadata = 0
	return ""
}

// parseContext parses a context such as "main:3 @ foo:2.1 @ bar".
func (f *Function) parseContext(text string) (ok bool) {
	frames := strings.Split(text, frameSeparator)
	for _, frame := range frames[:len(frames)-1] {
		name, location, _ := strings.Cut(frame, ":")
		line, discriminator, _ := strings.Cut(location, ".")
		at := Location{zeroOr32Bits(line), zeroOr32Bits(discriminator)}
		f.Context = append(f.Context, Frame{nameOfText(name), at})
	}
	name, _, _ := strings.Cut(frames[len(frames)-1], ":")
	f.Name = nameOfText(name)
	return len(frames) <= maxInlined
}

// zeroOr32Bits returns the number in a context, 0 for other texts.
func zeroOr32Bits(text string) uint32 {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

func (r *textReader) addMetadata(f *Function, text string, blanks int) (expected string) {
	r.metadata = blanks
	if rest, ok := strings.CutPrefix(text, checksumMark); ok {
		n, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64)
		if err != nil {
			return "a number as the checksum"
		}
		f.Attributes = 0
		if n != 0 {
			f.Checksum = n
			r.profile.Probes = r.profile.Probes || blanks == 1
		}
		return ""
	}
	rest, ok := strings.CutPrefix(text, attributesMark)
	n, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 32)
	if !ok || err != nil {
		return checksumMark + " or " + attributesMark + " and a number"
	}
	f.Attributes = n
	r.profile.PreInlined = r.profile.PreInlined || n&attributePreInlined != 0
	return ""
}

func parseLocation(text string) (at Location, ok bool) {
	line, discriminator, has := strings.Cut(text, ".")
	n, err := strconv.ParseUint(line, 10, 32)
	if err != nil || !has && n > 0xffff {
		return at, false
	}
	at.Line = uint32(n)
	if has {
		n, err = strconv.ParseUint(discriminator, 10, 32)
		at.Discriminator = uint32(n)
	}
	return at, err == nil
}

// cutCount cuts a number off, which follows the last colon.
func cutCount(text string) (before string, n uint64, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.ParseUint(text[i+1:], 10, 64)
	return text[:i], n, err == nil
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

func isCount(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}

// isGUIDCall reports whether a text is an inlined function whose name is a GUID, as LLVM writes it in decimal.
func isGUIDCall(text string) bool {
	name, _, _ := cutCount(text)
	return isCount(name)
}

// addBody adds the samples of a line and its call targets, as in "534 foo:500 bar:34". A target of the same name
// replaces the one before it.
func addBody(f *Function, at Location, text string) (expected string) {
	word := firstWord(text)
	line := Line{Location: at}
	line.Samples, _ = strconv.ParseUint(word, 10, 64)
	replaced := map[string]int{}
	for rest := text[len(word):]; ; {
		rest = strings.TrimLeft(rest, " ")
		if rest == "" {
			break
		}
		end := endOfTarget(rest)
		name, n, ok := cutCount(rest[:end])
		if !ok || name == "" {
			return "targets of the call and their counts, as foo:12"
		}
		name = nameOfText(name)
		if i, ok := replaced[name]; ok {
			line.Targets[i].Count = n
		} else {
			replaced[name] = len(line.Targets)
			line.Targets = append(line.Targets, Target{name, n})
		}
		rest = rest[end:]
	}
	f.Lines = append(f.Lines, line)
	return ""
}

// endOfTarget returns the length of a target with its count. Names can have blanks and colons: the first number between
// a colon and a blank is the count.
func endOfTarget(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] != ':' {
			continue
		}
		if word := firstWord(text[i+1:]); isCount(word) {
			return i + 1 + len(word)
		}
	}
	return len(text)
}

// WriteText writes the profile in text form.
func (p *Profile) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	t := textWriter{Writer: out, probes: p.Probes}
	for _, f := range p.Functions {
		name := textOfName(f.Name)
		if p.Calling {
			name = f.contextText()
		}
		if parse.BeginsWithTextMark(name) {
			t.strings("# Name:\n")
		}
		t.strings(name, ":", decimal(f.Total), ":", decimal(f.Head), "\n")
		t.writeFunction(f, 1)
	}
	return out.Flush()
}

type textWriter struct {
	*bufio.Writer
	probes bool
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

func (t *textWriter) strings(parts ...string) {
	for _, p := range parts {
		_, _ = t.WriteString(p) // Flush returns the error
	}
}

func (f *Function) contextText() string {
	var b strings.Builder
	b.WriteByte('[')
	for _, frame := range f.Context {
		b.WriteString(textOfName(frame.Name) + ":" + frame.Location.String() + frameSeparator)
	}
	b.WriteString(textOfName(f.Name) + "]")
	return b.String()
}

func (t *textWriter) writeFunction(f *Function, depth int) {
	blanks := strings.Repeat(" ", depth)
	for _, l := range f.Lines {
		t.strings(blanks, l.Location.String(), ": ", decimal(l.Samples))
		for _, target := range l.Targets {
			t.strings(" ", textOfName(target.Name), ":", decimal(target.Count))
		}
		t.strings("\n")
	}
	for _, c := range f.Calls {
		t.strings(blanks, c.Location.String(), ": ", textOfName(c.Name), ":", decimal(c.Total), "\n")
		t.writeFunction(c.Function, depth+1)
	}
	if t.probes {
		t.strings(blanks, checksumMark, " ", decimal(f.Checksum), "\n")
	}
	if f.Attributes != 0 {
		t.strings(blanks, attributesMark, " ", decimal(f.Attributes), "\n")
	}
}
