package sample

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// judge returns the path of llvm-profdata of a release.
func judge(t testing.TB, release string) string {
	t.Helper()
	full.Only(t, "runs llvm-profdata")
	path, err := exec.LookPath("llvm-profdata-" + release)
	if err != nil {
		t.Skipf("no llvm-profdata of LLVM %s on this machine", release)
	}
	return path
}

// judged returns what llvm-profdata merge --sample makes of a file.
func judged(t testing.TB, profdata, file string, flags ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	command := append([]string{"merge", "--sample", "-o", out}, flags...)
	if message, err := exec.Command(profdata, append(command, file)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, message)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// written returns what write writes.
func written(t testing.TB, write func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// parsed reads a profile.
func parsed(t testing.TB, file []byte) *Profile {
	t.Helper()
	p, err := Read(bytes.NewReader(file), "test")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A form is a form of profiles, and how llvm-profdata is told to write it.
type form struct {
	name  string
	flags []string
	write func(p *Profile, w io.Writer) error
}

func extensible(e Extensible) func(p *Profile, w io.Writer) error {
	return func(p *Profile, w io.Writer) error { return e.Write(w, p) }
}

var forms = []form{
	{"text", []string{"--text"}, (*Profile).WriteText},
	{"binary", []string{"--binary"}, (*Profile).WriteBinary},
	{"extbinary", []string{"--extbinary"}, extensible(Extensible{})},
	{"md5", []string{"--extbinary", "--use-md5"}, extensible(Extensible{GUIDs: true})},
	{"partial", []string{"--extbinary", "--gen-partial-profile"}, extensible(Extensible{Partial: true})},
	{"compressed", []string{"--extbinary", "--compress-all-sections"}, func(p *Profile, w io.Writer) error {
		return Extensible{Compress: true}.Write(w, p)
	}},
}

// What llvm-profdata makes of a profile has the same bytes, in every form, and is read again. Its compressed sections
// may have other bytes; their content is compared.
func TestProfilesHaveTheBytesOfLLVM(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"14", "19"} {
		profdata := judge(t, release)
		for seed := range uint64(24) {
			p := generated(seed, 1+int(seed)*3, seed%3 == 1, seed%3 == 2)
			text := filepath.Join(t.TempDir(), "in.proftext")
			if err := os.WriteFile(text, written(t, p.WriteText), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, f := range forms {
				if f.name == "binary" && seed%3 > 0 { // which has no place for contexts and checksums
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%s", release, seed, f.name), func(t *testing.T) {
					compareWithJudge(t, f, p, judged(t, profdata, text, f.flags...), release)
				})
			}
		}
	}
}

func compareWithJudge(t *testing.T, f form, p *Profile, want []byte, release string) {
	t.Helper()
	got := written(t, func(w io.Writer) error { return f.write(p, w) })
	old := release == "14" && (p.Calling || p.Probes || f.name == "md5") // with another hash, and a flag that 19 has not
	if f.name == "compressed" || old {
		got = written(t, parsed(t, got).WriteText)
		want = written(t, parsed(t, want).WriteText)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes differ from those of llvm-profdata, which are %d", len(got), len(want))
		return
	}
	again := parsed(t, want)
	back := written(t, func(w io.Writer) error { return f.write(again, w) })
	if f.name != "compressed" && !old && !bytes.Equal(back, want) {
		t.Error("the profile of llvm-profdata does not come back")
	}
}

// A merge with weights has the bytes of llvm-profdata's. Attributes are left out, since llvm-profdata keeps the
// attributes of the first profile and an archive unites them.
func TestMergesHaveTheBytesOfLLVM(t *testing.T) {
	t.Parallel()
	profdata := judge(t, "19")
	for seed := range uint64(12) {
		dir := t.TempDir()
		var files [2][]byte
		for i := range files {
			p := generated(seed*2+uint64(i), 12, seed%2 == 1, false)
			for _, f := range p.Functions {
				f.Attributes = 0
			}
			files[i] = written(t, p.WriteText)
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), files[i], 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, weight := range []layout.Weight{1, 3} {
			want := judged(t, profdata, fmt.Sprintf("--weighted-input=%d,%s", weight, filepath.Join(dir, "1")), "--text",
				filepath.Join(dir, "0"))
			got := exported(t, mergedWith(t, files[0], files[1], weight), TextExporter())
			if !bytes.Equal(got, want) {
				t.Errorf("seed %d, weight %d: got\n%s\nwant\n%s", seed, weight, got, want)
			}
		}
	}
}
