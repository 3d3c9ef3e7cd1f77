// Command gopgo compares builds of real Go programs with their profiles and with what profarc
// makes of them, and sums of many profiles with those of go tool pprof. It prints the tables of
// bench/README.md:
//
//	go run ./bench/gopgo -profiles 1000
//
// The programs come from the module proxy; each is profiled while it reads the source of Go's
// standard library. Without a network it says so and ends with 0.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A program is built from a module and profiles itself.
type program struct {
	name, path, version string
	profile             []string // arguments; PROFILE stands for the file
}

var programs = []program{
	{"gofumpt", "mvdan.cc/gofumpt", "v0.9.2", []string{"-cpuprofile=PROFILE", "-l", "SRC/net/http", "SRC/encoding", "SRC/runtime", "SRC/cmd/compile/internal/ssa"}},
	{"goimports", "golang.org/x/tools/cmd/goimports", "v0.38.0", []string{"-cpuprofile=PROFILE", "-l", "SRC/net/http", "SRC/encoding", "SRC/go/types"}},
	{"staticcheck", "honnef.co/go/tools/cmd/staticcheck", "v0.6.1", []string{"-debug.cpuprofile=PROFILE", "-checks=none", "net/http"}},
}

// A bench holds the flags, and the folder that it works in.
type bench struct {
	profiles int
	profarc  string // the command
	dir      string
}

func main() {
	var b bench
	flag.IntVar(&b.profiles, "profiles", 1000, "profiles that are summed")
	recorded := flag.String("draw", "", "only draw profiles from this one into the working directory")
	flag.Parse()
	err := error(nil)
	if *recorded != "" {
		err = drawAll(*recorded, b.profiles)
	} else {
		err = b.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (b *bench) run() (err error) {
	if b.dir, err = os.MkdirTemp("", "profarc-bench-gopgo"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	b.profarc = filepath.Join(b.dir, "profarc")
	if err := command("", "go", "build", "-o", b.profarc, "./cmd/profarc"); err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Println("| program | profile | archive | gopgo | --hot | edges | preprofile | binary, gopgo | binary, --hot |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	last := ""
	for _, p := range programs {
		profile, err := b.program(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if profile != "" {
			last = profile
		}
	}
	if last == "" {
		fmt.Println("\nno program could be downloaded")
		return nil
	}
	return b.sum(last)
}

// command runs a command in a folder.
func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.Bytes())
	}
	return nil
}

// program profiles a program, builds it in four ways and prints a row. The profile is "" if the
// program cannot be downloaded.
func (b *bench) program(p program) (profile string, err error) {
	dir := filepath.Join(b.dir, p.name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module measured\n\ngo 1.25\n"), 0o666); err != nil {
		return "", err
	}
	if err := command(dir, "go", "get", p.path+"@"+p.version); err != nil {
		fmt.Printf("| %s | not downloaded: %s |\n", p.name, strings.SplitN(err.Error(), "\n", 2)[0])
		return "", nil
	}
	if err := command(dir, "go", "build", "-o", "plain", p.path); err != nil {
		return "", err
	}
	profile = filepath.Join(dir, "cpu.pb.gz")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src")
	var args []string
	for _, a := range p.profile {
		args = append(args, strings.NewReplacer("PROFILE", profile, "SRC", source).Replace(a))
	}
	if err := command(dir, filepath.Join(dir, "plain"), args...); err != nil {
		return "", err
	}
	return profile, b.compare(p, dir, profile)
}

// compare builds a program with its profile and with both exports, in the same place, and
// prints what is the same.
func (b *bench) compare(p program, dir, profile string) error {
	archive := filepath.Join(dir, "app.parc")
	small, hot := filepath.Join(dir, "small.pgo"), filepath.Join(dir, "hot.pgo")
	for _, args := range [][]string{
		{"import", profile, "-o", archive}, {"export", "-t", "gopgo", archive, "-o", small}, {"export", "-t", "gopgo", "--hot", archive, "-o", hot},
	} {
		if err := command(dir, b.profarc, args...); err != nil {
			return err
		}
	}
	var edges [2][]byte
	for i, file := range []string{profile, small} {
		out := filepath.Join(dir, "edges.txt")
		if err := command(dir, "go", "tool", "preprofile", "-i", file, "-o", out); err != nil {
			return err
		}
		text, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		edges[i] = text
	}
	var binaries [3][]byte
	for i, file := range []string{profile, small, hot} {
		built, err := b.build(p, dir, file)
		if err != nil {
			return err
		}
		binaries[i] = built
	}
	fmt.Printf("| %s %s | %s | %s | %s | %s | %d | %s | %s | %s |\n", p.name, p.version, size(profile), size(archive), size(small), size(hot),
		bytes.Count(edges[0], []byte("\n"))/3, same(edges[0], edges[1]), same(binaries[0], binaries[1]), same(binaries[0], binaries[2]))
	return nil
}

// build returns the bytes of a program that was built with a profile.
func (b *bench) build(p program, dir, profile string) ([]byte, error) {
	data, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "default.pgo"), data, 0o666); err != nil {
		return nil, err
	}
	if err := command(dir, "go", "build", "-trimpath", "-pgo=default.pgo", "-o", "built", p.path); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "built"))
}

func same(a, b []byte) string {
	if bytes.Equal(a, b) {
		return "same bytes"
	}
	return "differs"
}

func size(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.1f kB", float64(info.Size())/1000)
}
