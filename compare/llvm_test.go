package compare_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/compare"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const samples = "../../shared/samples/llvm"

// TestFiguresAreThoseOfLLVM holds the figures of every pair of sample profiles
// against what llvm-profdata prints of them.
func TestFiguresAreThoseOfLLVM(t *testing.T) {
	tested := 0
	for _, version := range []string{"14", "19", "22"} {
		tool, err := exec.LookPath("llvm-profdata-" + version)
		texts, _ := filepath.Glob(filepath.Join(samples, version, "vp-*", "x.proftext"))
		if err != nil || len(texts) == 0 {
			t.Logf("no llvm-profdata-%s, or no samples of it", version)
			continue
		}
		for i, a := range texts {
			for _, step := range []int{0, 1, 2, 5} {
				b := texts[(i+step)%len(texts)]
				for _, cs := range []bool{false, true} {
					if sameAsLLVM(t, tool, a, b, cs) {
						tested++
					}
				}
			}
		}
	}
	if tested == 0 {
		t.Skip("no llvm-profdata with sample profiles")
	}
	t.Logf("%d comparisons", tested)
	if tested < 40 {
		t.Error("too few comparisons to say anything")
	}
}

// sameAsLLVM compares two proftext files both ways; it is false if they cannot
// be compared, or if llvm-profdata's figures make no sense.
func sameAsLLVM(t *testing.T, tool, a, b string, cs bool) bool {
	t.Helper()
	pa, pb := parseText(t, a), parseText(t, b)
	if pa.domain != pb.domain || cs && pa.domain != layout.DomainLLVMIR || pa.mixed || pb.mixed {
		return false
	}
	args := []string{"overlap", a, b}
	if cs {
		args = append(args, "--cs")
	}
	out, err := exec.Command(tool, args...).Output()
	if err != nil || !strings.Contains(string(out), "Program level") {
		return false // a profile without counts, or of a newer version
	}
	r, err := compare.Stores(t.Context(), pa.store(t), pb.store(t), compare.Options{ContextSensitive: cs})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asLLVM(r), figures(string(out)); got != want {
		t.Errorf("%s %s --cs=%v: got\n%swant\n%s", a, b, cs, got, want)
	}
	return true
}

// figures are the lines of llvm-profdata's that have figures.
func figures(out string) string {
	_, list, _ := strings.Cut(out, "Program level:\n")
	return list
}

// asLLVM prints a report as llvm-profdata does.
func asLLVM(r *compare.Report) string {
	var b strings.Builder
	line := func(format string, n string) { b.WriteString("  " + format + ": " + n + "\n") }
	percent := func(v float64) string { return strconv.FormatFloat(100*v, 'f', 3, 64) + "%" }
	p := r.Profiles
	mismatch, only := p.Mismatch > 0, p.OnlyB > 0
	line("# of functions overlap", strconv.Itoa(p.Matched))
	if mismatch {
		line("# of functions mismatch", strconv.Itoa(p.Mismatch))
	}
	if only {
		line("# of functions only in test_profile", strconv.Itoa(p.OnlyB))
	}
	names := map[compare.Kind]string{compare.Edges: "Edge", compare.IndirectCalls: "IndirectCall", compare.MemOps: "MemOP", compare.VTables: "VTable"}
	for _, k := range r.Kinds {
		name := names[k.Kind]
		line(name+" profile overlap", percent(k.Overlap))
		if mismatch {
			line("Mismatched count percentage ("+name+")", percent(k.Mismatch))
		}
		if only {
			line("Percentage of "+name+" profile only in test_profile", percent(k.OnlyB))
		}
		line(name+" profile base count sum", strconv.FormatFloat(k.SumA, 'f', 0, 64))
		line(name+" profile test count sum", strconv.FormatFloat(k.SumB, 'f', 0, 64))
	}
	return b.String()
}

// A textProfile is a proftext file, read far enough to build an archive.
type textProfile struct {
	domain layout.Domain
	mixed  bool // has records of both kinds, which llvm-profdata mixes up
	b      *builder.Builder
}

func (p *textProfile) store(t *testing.T) *reader.Store {
	t.Helper()
	return openBuilder(t, p.b)
}

func openBuilder(t testing.TB, b *builder.Builder) *reader.Store {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("test.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	t.Cleanup(func() { s.Close() })
	return s
}

// textLines are the lines that are not comments. Whatever does not fit ends the
// test by a panic: the files are llvm-profdata's own.
type textLines struct{ left []string }

func (l *textLines) next() string {
	line := l.left[0]
	l.left = l.left[1:]
	return line
}

func (l *textLines) number() uint64 {
	n, err := strconv.ParseUint(l.next(), 0, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func parseText(t *testing.T, path string) *textProfile {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var lines textLines
	p := &textProfile{domain: layout.DomainLLVMFrontend}
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<24)
	traces := false
	for in.Scan() {
		line := in.Text()
		switch {
		case strings.HasPrefix(line, ":"):
			if line == ":ir" || line == ":csir" {
				p.domain = layout.DomainLLVMIR
			}
			traces = traces || line == ":temporal_prof_traces"
		case line != "" && line[0] != '#':
			lines.left = append(lines.left, line)
		}
	}
	if traces {
		n := lines.number()
		lines.number()
		lines.left = lines.left[2*n:]
	}
	p.b = builder.New(p.domain, builder.Config{})
	cs, plain := false, false
	for len(lines.left) > 0 {
		hash := p.function(t, &lines)
		isCS := p.domain == layout.DomainLLVMIR && hash&(1<<60) != 0
		cs, plain = cs || isCS, plain || !isCS
	}
	p.mixed = cs && plain
	return p
}

// function reads one record.
func (p *textProfile) function(t *testing.T, lines *textLines) (hash uint64) {
	t.Helper()
	name := lines.next()
	hash = lines.number()
	q := p.b.Profile(p.b.Method(layout.Key{Name: name}), hash, builder.NoContext)
	counts := make([]uint64, lines.number())
	for i := range counts {
		counts[i] = lines.number()
	}
	q.Counters(0, counts...)
	if len(lines.left) > 0 && strings.HasPrefix(lines.left[0], "$") {
		n, _ := strconv.Atoi(lines.next()[1:])
		lines.left = lines.left[n:]
	}
	if len(lines.left) > 0 && isSmall(lines.left[0]) {
		for range lines.number() {
			valueKind(q, lines)
		}
	}
	if err := q.Done(); err != nil {
		t.Fatal(err)
	}
	return hash
}

// isSmall tells the number of value kinds from the name of a function.
func isSmall(line string) bool { return len(line) == 1 && line[0] >= '1' && line[0] <= '3' }

func valueKind(q *builder.Profile, lines *textLines) {
	kind := lines.number()
	for site := range lines.number() {
		values := make([]builder.Value, lines.number())
		for i := range values {
			line := lines.next()
			at := strings.LastIndexByte(line, ':')
			values[i].Count, _ = strconv.ParseUint(line[at+1:], 10, 64)
			switch {
			case kind == layout.SubMemOpSize:
				values[i].Value, _ = strconv.ParseUint(line[:at], 10, 64)
			case line[:at] != "** External Symbol **":
				values[i].Value = layout.NameRef(line[:at])
			}
		}
		q.ValueSite(uint16(kind), int32(site), values...)
	}
}
