package main

import (
	"archive/zip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

//go:embed programs
var programs embed.FS

// A recorder trains tools of a JDK and the programs in the folder programs.
type recorder struct {
	jdk      string // home of a JDK with lib/src.zip
	profarc  string
	work     string // folder with src, the sources of the JDK, and programs
	packages []string
}

// recordRuns trains programs with different arguments, jobs at the same time. It writes an archive for each run to out.
func recordRuns(jdk, profarc, out string, runs, jobs int) error {
	work, err := os.MkdirTemp("", "profarc-programs-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &recorder{jdk: jdk, profarc: profarc, work: work}
	if err := errors.Join(r.unpackSources(), os.CopyFS(work, programs), os.MkdirAll(out, 0o777)); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(jobs)
	var done atomic.Int64
	for i := range runs {
		group.Go(func() error {
			err := r.trainRun(i, filepath.Join(out, fmt.Sprintf("run-%06d.parc", i)))
			fmt.Fprintf(os.Stderr, "\r%d of %d runs ", done.Add(1), runs)
			return err
		})
	}
	defer fmt.Fprintln(os.Stderr)
	return group.Wait()
}

// A program returns the command line for run n.
type program func(r *recorder, n int, out string) []string

var all = []program{
	func(r *recorder, n int, out string) []string {
		return append([]string{"javac", "-nowarn", "-proc:none", "-XDignore.symbol.file", "--patch-module",
			"java.base=" + r.packageFolder(n), "-d", out}, r.sources(n, 8)...)
	},
	func(r *recorder, n int, _ string) []string {
		return append([]string{"javap", "-c", "-p", "--system", r.jdk}, r.classes(n)...)
	},
	func(r *recorder, n int, out string) []string {
		return append(
			[]string{"javadoc", "-quiet", "-Xdoclint:none", "--patch-module", "java.base=" + r.packageFolder(n), "-d", out},
			r.sources(n, 1)...)
	},
	func(r *recorder, n int, _ string) []string {
		return []string{"jdeps", "-verbose:package", "--module",
			pickInTurn(n, "java.logging", "java.xml", "java.sql", "java.net.http", "java.rmi", "java.naming", "jdk.jartool",
				"jdk.jfr")}
	},
	func(r *recorder, n int, out string) []string {
		return []string{"jar", "--create", "--file", filepath.Join(out, "x.jar"), "-C", r.packageFolder(n), "."}
	},
	func(r *recorder, n int, _ string) []string {
		return []string{"jimage", "list", "--include", "regex:.*/" + path.Base(r.packages[n%len(r.packages)]) + "/.*",
			filepath.Join(r.jdk, "lib", "modules")}
	},
	func(r *recorder, n int, _ string) []string {
		return []string{"jshell", "--execution", "local", "-R-Dn=" + fmt.Sprint(n),
			r.workPath("programs", "script"+fmt.Sprint(n%3)+".jsh")}
	},
	func(_ *recorder, n int, out string) []string {
		return []string{"keytool", "-genkeypair", "-keystore", filepath.Join(out, "store"), "-storepass", "changeit",
			"-alias", "a", "-dname", fmt.Sprintf("CN=Host %d", n), "-keyalg", pickInTurn(n, "RSA", "EC", "DSA")}
	},
	func(r *recorder, n int, _ string) []string {
		return []string{
			"java",
			r.workPath("programs", "Words.java"),
			r.packageFolder(n),
			pickInTurn(n, "a", "get", "[A-Z]", "s", "th"),
		}
	},
	func(r *recorder, n int, _ string) []string {
		return []string{
			"java",
			r.workPath("programs", "Numbers.java"),
			pickInTurn(n, "primes", "queues", "power", "operators"),
			fmt.Sprint(n),
		}
	},
}

// pickInTurn returns value n modulo the number of values.
func pickInTurn(n int, of ...string) string { return of[n%len(of)] }

func (r *recorder) workPath(names ...string) string {
	return filepath.Join(append([]string{r.work}, names...)...)
}

// packageFolder returns the folder that contains only package n.
func (r *recorder) packageFolder(n int) string {
	return r.workPath("src", strings.ReplaceAll(r.packages[n%len(r.packages)], "/", "."))
}

// sources returns at most most source files of package n.
func (r *recorder) sources(n, most int) (some []string) {
	_ = filepath.WalkDir(
		r.packageFolder(n),
		func(name string, d fs.DirEntry, err error) error { // these files are readable
			if err == nil && !d.IsDir() && len(some) < most {
				some = append(some, name)
			}
			return err
		},
	)
	return some
}

func (r *recorder) classes(n int) (names []string) {
	for _, name := range r.sources(n, 8) {
		inside, _ := filepath.Rel(r.packageFolder(n), name) // cannot fail
		names = append(names, strings.ReplaceAll(strings.TrimSuffix(filepath.ToSlash(inside), ".java"), "/", "."))
	}
	return names
}

// trainRun records run i to archive.
func (r *recorder) trainRun(i int, archive string) error {
	out, err := os.MkdirTemp(r.work, "out-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	line := all[i%len(all)](r, i/len(all), out)
	line[0] = filepath.Join(r.jdk, "bin", line[0])
	cmd := exec.Command(r.profarc, append([]string{"train", "-q", "-o", archive, "--"}, line...)...)
	cmd.Dir = out
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, said)
	}
	return nil
}

// isPublic matches the source of a public type.
var isPublic = regexp.MustCompile(`(?m)^public [^(=]*\b(class|interface|enum)\b`)

// unpackSources extracts the public types of packages java.* in module java.base, each package to a separate folder, so
// that a
// compiler takes the other packages from the JDK.
func (r *recorder) unpackSources() error {
	name := filepath.Join(r.jdk, "lib", "src.zip")
	z, err := zip.OpenReader(name)
	if err != nil {
		return fmt.Errorf("%w: name a JDK that has its sources", err)
	}
	defer z.Close()
	for _, f := range z.File {
		inside, ok := strings.CutPrefix(f.Name, "java.base/")
		if !ok || !strings.HasPrefix(inside, "java/") || path.Ext(inside) != ".java" {
			continue
		}
		if err := r.extractSource(f, inside); err != nil {
			return err
		}
	}
	if len(r.packages) == 0 {
		return fmt.Errorf("%s: no sources of java.base", name)
	}
	return nil
}

// extractSource writes a source file if its type is public.
func (r *recorder) extractSource(f *zip.File, inside string) error {
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	text, err := io.ReadAll(from)
	if err != nil || !isPublic.Match(text) {
		return err
	}
	folder := path.Dir(inside)
	if !slices.Contains(r.packages, folder) {
		r.packages = append(r.packages, folder)
	}
	to := r.workPath("src", strings.ReplaceAll(folder, "/", "."), filepath.FromSlash(inside))
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, text, 0o666))
}
