package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/profarc/profarc/ci/licences"
)

// writeManPages writes the archive of man pages.
func (r *release) writeManPages(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "man")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program, err := buildForHelp(ctx, ".", folder)
	if err != nil {
		return err
	}
	pages, err := manPages(ctx, program, r.Version)
	if err != nil {
		return err
	}
	data, err := packPages(pages)
	if err != nil {
		return err
	}
	return r.writeFile("profarc-"+r.Version+"-man.tar.gz", data)
}

// buildForHelp builds profarc, and profarc-fleet next to it, for this machine. It returns the path of profarc.
func buildForHelp(ctx context.Context, root, folder string) (program string, err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for _, p := range licences.Programs[:2] {
		cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", folder+string(filepath.Separator), p.Package)
		cmd.Dir = filepath.Join(root, p.Folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", p.Name, err, out)
		}
	}
	return filepath.Join(folder, "profarc"), nil
}

// manPages returns a page for each command of a program, by file name. It writes the help of the commands in roff,
// without Markdown between, which would change patterns such as *.parc and the layout of tables.
func manPages(ctx context.Context, program, version string) (map[string]string, error) {
	pages := map[string]string{}
	err := addPages(ctx, pages, program, version, nil, "Archives of execution profiles")
	return pages, err
}

// addPages adds the page of a command and its subcommands.
func addPages(ctx context.Context, pages map[string]string, program, version string, args []string,
	short string) error {
	out, err := exec.CommandContext(ctx, program, append(slices.Clone(args), "--help")...).Output()
	if err != nil {
		return fmt.Errorf("%v --help: %w", args, err)
	}
	h := parseHelp(string(out))
	name := strings.Join(append([]string{"profarc"}, args...), "-")
	pages[name+".1"] = h.page(name, short, version)
	for _, c := range h.commands {
		if err := addPages(ctx, pages, program, version, append(slices.Clone(args), c.name), c.text); err != nil {
			return err
		}
	}
	return nil
}

// A help is what a command prints with --help.
type help struct {
	about    string
	sections []section
	commands []row
}

type section struct{ title, text string }

type row struct{ name, text string }

var (
	sectionTitle = regexp.MustCompile(`^[A-Z][^:]*:$`)
	commandRow   = regexp.MustCompile(`^  ([a-z][a-z-]*) +(\S.*)$`)
	flagRow      = regexp.MustCompile(`^ +(-\S.*?)(?:  +(\S.*))?$`)
)

func parseHelp(text string) (h help) {
	about, rest, _ := strings.Cut(text, "\nUsage:\n")
	h.about = strings.TrimSpace(about)
	now := section{title: "Usage"}
	end := func() {
		now.text = strings.Trim(now.text, "\n")
		h.sections = append(h.sections, now)
	}
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "Use \"profarc") {
			break
		}
		if line := strings.TrimRight(line, "\n"); sectionTitle.MatchString(line) {
			end()
			now = section{title: strings.TrimSuffix(line, ":")}
			continue
		}
		now.text += line
		if m := commandRow.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil && now.listsCommands() {
			h.commands = append(h.commands, row{m[1], m[2]})
		}
	}
	end()
	return h
}

func (s *section) listsCommands() bool {
	return s.title != "Usage" && s.title != "Examples" && !s.isFlags()
}

func (s *section) isFlags() bool { return strings.HasSuffix(s.title, "Flags") }

// page returns a page in roff. It has no date, so that builds are reproducible.
func (h *help) page(name, short, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"profarc %s\" \"profarc\"\n", roff(strings.ToUpper(name)), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(short))
	for _, s := range h.sections {
		title := map[string]string{"Usage": "Synopsis", "Flags": "Options"}[s.title]
		if title == "" {
			title = s.title
		}
		fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(title)))
		switch {
		case s.isFlags():
			writeRows(&b, s.text, flagRow)
		case s.listsCommands():
			writeRows(&b, s.text, commandRow)
		default:
			writeAsIs(&b, s.text)
		}
		if s.title == "Usage" {
			b.WriteString(".SH DESCRIPTION\n")
			writeParagraphs(&b, h.about)
		}
	}
	return b.String()
}

// writeParagraphs writes paragraphs, those with indented lines as they are.
func writeParagraphs(b *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			b.WriteString(".PP\n")
			writeAsIs(b, paragraph)
			continue
		}
		fmt.Fprintf(b, ".PP\n%s\n", roffLines(paragraph))
	}
}

func writeAsIs(b *strings.Builder, text string) { fmt.Fprintf(b, ".nf\n%s\n.fi\n", roffLines(text)) }

// writeRows writes the rows of a list of flags or commands. A line of another form continues the row before it.
func writeRows(b *strings.Builder, text string, form *regexp.Regexp) {
	for line := range strings.SplitSeq(text, "\n") {
		if m := form.FindStringSubmatch(line); m != nil {
			fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", roff(m[1]), roffLines(m[2]))
		} else if line = strings.TrimSpace(line); line != "" {
			b.WriteString(roffLines(line) + "\n")
		}
	}
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`)

func roff(text string) string { return roffEscapes.Replace(text) }

// roffLines escapes lines of text, also those that begin like a request.
func roffLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines = append(lines, `\&`+roff(line))
		} else {
			lines = append(lines, roff(line))
		}
	}
	return strings.Join(lines, "\n")
}

// packPages packs pages for extraction in /usr/local or ~/.local. Equal pages give equal bytes.
func packPages(pages map[string]string) ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		head := &tar.Header{Name: "share/man/man1/" + name, Mode: 0o644, Size: int64(len(pages[name]))}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(pages[name])); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := z.Close()
	return packed.Bytes(), err
}
