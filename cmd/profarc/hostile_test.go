package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// hostileFile is a hostile text that can name a file.
var hostileFile = strings.ReplaceAll(specimen.HostileText, "/", "|")

// Printed is what a command prints.
type printed struct {
	plain, raw bytes.Buffer
	code       int
}

// execute runs a command as the program does, its output being a terminal or not.
func execute(t *testing.T, terminal bool, args ...string) *printed {
	t.Helper()
	p := new(printed)
	s := cli.Streams{PlainOut: escape.NewWriter(&p.plain), PlainErr: escape.NewWriter(&p.plain), RawOut: &p.raw,
		RawErr: &p.raw, OutTerminal: terminal}
	p.code = runRoot(t.Context(), app.New(strings.NewReader(""), s), args)
	return p
}

// check fails the test if a hostile text reached the output as it is.
func (p *printed) check(t *testing.T, what string) {
	t.Helper()
	specimen.CheckPrinted(t, what, p.plain.String())
}

// hostileArchives writes an archive whose texts are all hostile, and another
// with one method more, under hostile names.
func hostileArchives(t *testing.T, s specimen.Specimen) (first, second string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "f"+hostileFile)
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Skip("the file system has no such names: ", err)
	}
	first, second = filepath.Join(folder, "1"+hostileFile+cli.ArchiveExtension),
		filepath.Join(folder, "2"+hostileFile+cli.ArchiveExtension)
	for i, path := range []string{first, second} {
		b := s.Build()
		if i == 1 {
			b.Seen(b.Method(layout.Key{Name: "more" + specimen.HostileText}))
		}
		if _, err := b.Commit(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	return first, second
}

// onlyColors matches the colours that commands give their own words, and nothing else.
var onlyColors = regexp.MustCompile(`^(\x1b\[([0-9]+(;[0-9]+)?)m)*$`)

// TestHostileTextsAreEscaped runs every command on archives whose every text
// is hostile, under hostile names, with hostile arguments.
func TestHostileTextsAreEscaped(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for _, s := range specimen.Hostile() {
		t.Run(s.Name, func(t *testing.T) {
			first, second := hostileArchives(t, s)
			out := filepath.Join(filepath.Dir(first), "out"+hostileFile)
			for _, args := range hostileCommands(first, second, out) {
				p := execute(t, true, args...)
				p.check(t, fmt.Sprintf("%.60q", args))
				if !onlyColors.MatchString(p.raw.String()) {
					t.Errorf("%.60q: prints %.60q to a terminal as it is", args, p.raw.String())
				}
				if fails := strings.Contains(fmt.Sprintf("%q", args), "nothing"); fails != (p.code != cli.ExitOK) &&
					!domainDecides(args) {
					t.Errorf("%.60q: exit code %d: %.200s", args, p.code, p.plain.String())
				}
			}
			for _, e := range formats.Exporters() {
				format := e.Format().Name
				hostileExport(t, first, out, format)
			}
		})
	}
}

// domainDecides reports whether a command is of some domains alone.
func domainDecides(args []string) bool {
	return args[0] == "check" || slices.Contains(args, "--table")
}

// hostileCommands returns commands that look at archives, write them or fail. Those
// that fail have an argument with "nothing" in it.
func hostileCommands(first, second, out string) (all [][]string) {
	nothing := "nothing" + specimen.HostileText
	for _, measure := range append(methods.MeasureNames(), string(facts.Samples), facts.ByPollution) {
		all = append(all, []string{"top", first, "--by", measure}, []string{"top", first, "--by", measure, "--json"})
	}
	for _, kind := range disk.TableKinds() {
		all = append(all, []string{"show", first, "--table", kind.String()},
			[]string{"show", first, "--table", kind.String(), "--json"})
	}
	for _, args := range [][]string{
		{"info", first}, {"info", first, "--tables"}, {"info", first, "--summary"}, {"show", first}, {"show", first, "n"},
		{"show", first, "--by", "counts"},
		{"top", first},
		{"verify", first, second}, {"diff", first, second}, {"check", first, "--against", second},
		{"merge", first, second, "-o", out + "m" + cli.ArchiveExtension},
		{"reduce", first, "--drop-cold", "-o", out + "r" + cli.ArchiveExtension},
		{"reduce", first, "--anonymize", "-o", out + "a" + cli.ArchiveExtension},
		{"show", "--lookup", first, nothing},
		{"top", first, "--class", nothing}, {"info", nothing},
		{"verify", nothing},
		{"import", nothing, "-o", out + "i" + cli.ArchiveExtension},
		{"merge", first, nothing, "-o", out + cli.ArchiveExtension},
		{"check", first, "--against", nothing},
	} {
		all = append(all, args, append(args[:len(args):len(args)], "--json"))
	}
	return append(all, [][]string{
		{nothing}, {"info", "--" + nothing}, {"info", first, "-" + nothing}, {"top", first, "--by", nothing},
		{"top", first, "-n", nothing},
		{"show", first, nothing}, {"show", first, "n", "--caller", nothing + "@1"}, {"show", first, "--loader", nothing},
		{"export", "-t", nothing, first}, {"export", "-t", "text", nothing},
		{"export", "-t", "text", first, "-o", nothing + "/" + nothing},
		{"import", first, "-o", nothing}, {"import", first, "-o", nothing + cli.ArchiveExtension},
		{"import", second, "--weighted", nothing, "-o", out + cli.ArchiveExtension},
		{"merge", first + ":" + nothing, "-o", out + cli.ArchiveExtension},
		{"reduce", first, "-o", out + cli.ArchiveExtension, "--hot", nothing}, {"help", nothing}, {"completion", nothing},
		{"demo", nothing}, {"dump", "--pid", nothing}, {"train", "-o", nothing, "--", "true"},
		{"train", "-o", out + cli.ArchiveExtension, "--", nothing},
	}...)
}

// hostileExport exports in a format, to a terminal and to a hostile name, and
// imports what that gives: whole, cut short, and with a line nobody understands.
func hostileExport(t *testing.T, archive, out, format string) {
	args := []string{"export", "-t", format, archive}
	// lines are as the format has them
	specimen.CheckEscaped(t, format+" to a terminal", execute(t, true, args...).plain.String())
	out += "." + format
	p := execute(t, false, append(args, "-o", out)...)
	p.check(t, format+" to a file")
	exported, err := os.ReadFile(out)
	if p.code != cli.ExitOK || err != nil {
		return // not of this domain
	}
	piped := execute(t, false, args...)
	if !bytes.Equal(piped.raw.Bytes(), exported) && format != "pprof" { // whose bytes have the time
		t.Errorf("%s: a pipe is given other bytes than a file", format)
	}
	piped.check(t, format+" to a pipe")
	for name, data := range map[string][]byte{
		"whole": exported, "cut": exported[:len(exported)*2/3],
		"broken": bytes.Replace(exported, []byte("\n"), []byte("\n"+specimen.HostileText+"\n"), 8),
	} {
		if err := os.WriteFile(out, data, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]string{nil, {"--json"}, {"--weighted", "2," + out, "--failure-mode", "all"}} {
			p := execute(t, false, append([]string{"import", out, "-o", out + cli.ArchiveExtension}, more...)...)
			p.check(t, fmt.Sprintf("import of %s, %s %v", format, name, more))
		}
	}
}

// TestHostileDamageIsEscaped: errors quote what they do not understand.
func TestHostileDamageIsEscaped(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for _, s := range specimen.Hostile() {
		first, _ := hostileArchives(t, s)
		data, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		for at := 650; at < len(data); at += len(data)/20 + 1 {
			bad := bytes.Clone(data)
			bad[at] ^= 0x20
			if err := os.WriteFile(first, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"verify", "show", "info"} {
				execute(t, true, command, first).check(t, command)
			}
		}
	}
}
