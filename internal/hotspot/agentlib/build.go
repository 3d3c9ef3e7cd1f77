package agentlib

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/agent"
	"github.com/profarc/profarc/c"
)

// A Build builds the library. The zero value builds the agent of this module into the user's cache.
type Build struct {
	// Agent has the agent's sources, Library the folders include and src of libprofarc. nil selects the module's.
	Agent, Library fs.FS
	// Cache is the folder to build into; empty selects the user's cache.
	Cache string
	// Begin is called before the compiler runs, with the compiler command. It can be nil.
	Begin func(compiler string)
}

var compilerFlags = [2][]string{
	{"-std=c11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-DPA_API=", "-Ic/include", "-Iagent"},
	{"-lpthread"},
}

type sourceFile struct {
	name string // agent/NAME or c/src/NAME, with slashes
	text []byte
}

func (b *Build) sourceFiles() (all []sourceFile, err error) {
	for _, part := range []struct {
		name      string
		given, is fs.FS
	}{{"agent", b.Agent, agent.Sources}, {"c", b.Library, c.Sources}} {
		files := part.given
		if files == nil {
			files = part.is
		}
		err = errors.Join(err, fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".c" && path.Ext(name) != ".h" {
				return err
			}
			text, err := fs.ReadFile(files, name)
			all = append(all, sourceFile{part.name + "/" + name, text})
			return err
		}))
	}
	if !slices.ContainsFunc(all, func(s sourceFile) bool { return path.Dir(s.name) == "agent" }) {
		return nil, errors.Join(err, errors.New("this build of profarc has no sources of the agent"))
	}
	return all, err
}

// findOrBuild returns the library from the cache, and builds it if it is missing. Without a compiler, a library that
// another compiler built from these sources is accepted.
func (b *Build) findOrBuild(ctx context.Context) (string, error) {
	folder, err := b.cacheFolder()
	if err != nil {
		return "", err
	}
	files, err := b.sourceFiles()
	if err != nil {
		return "", err
	}
	sources := hashSources(files)
	cc, err := findCompiler()
	if err != nil {
		if built, _ := filepath.Glob(filepath.Join(folder, sources+"-*", Name)); len(built) > 0 {
			return built[0], checkOwner(built[0])
		}
		return "", err
	}
	library := filepath.Join(folder, sources+"-"+cc.hashCompiler(), Name)
	if checkObject(library) == nil {
		return library, checkOwner(library)
	}
	if err := os.MkdirAll(filepath.Dir(library), 0o700); err != nil {
		return "",
			adviceError{fmt.Errorf("%w: set XDG_CACHE_HOME to a folder that can be written, or name a library with %s or "+
				"--agent", err, Variable)}
	}
	if b.Begin != nil {
		b.Begin(strings.Join(cc.command, " "))
	}
	return library, cc.buildLibrary(ctx, files, folder, library)
}

func (b *Build) cacheFolder() (string, error) {
	if b.Cache != "" {
		return filepath.Abs(b.Cache)
	}
	folder, err := userCacheFolder()
	if err != nil {
		return "",
			fmt.Errorf("there is no folder for what is built: set HOME or XDG_CACHE_HOME, or name a library with %s or "+
				"--agent (%w)", Variable, err)
	}
	return folder, nil
}

func userCacheFolder() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "profarc", "agent"), err
}

func hashSources(files []sourceFile) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s/%s %q\n", runtime.GOOS, runtime.GOARCH, compilerFlags)
	for _, f := range files {
		fmt.Fprintf(h, "%q %d\n%s", f.name, len(f.text), f.text)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

type compiler struct {
	command []string
	file    fileID
}

func findCompiler() (*compiler, error) {
	names := []string{"cc", "gcc", "clang"}
	named := strings.Fields(os.Getenv("CC"))
	if len(named) > 0 {
		names = named[:1]
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		file, err := identifyFile(path)
		return &compiler{append([]string{name}, named[min(1, len(named)):]...), file}, err
	}
	if len(named) > 0 {
		return nil, fmt.Errorf("CC is %s, and there is no such command: %w", named[0], ErrNoCompiler)
	}
	return nil, ErrNoCompiler
}

func (cc *compiler) hashCompiler() string {
	h := sha256.Sum256(fmt.Appendf(nil, "%v %q", cc.file, cc.command))
	return fmt.Sprintf("%x", h[:8])
}

func runCommand(ctx context.Context, folder string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), "LC_ALL=C")
	command.WaitDelay = time.Second
	return command.CombinedOutput()
}

// firstLineWith returns the first line of a command's output that contains one of some words, else the first line.
func firstLineWith(out []byte, words ...string) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(line), w) }) {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(lines[0])
}

func (cc *compiler) buildLibrary(ctx context.Context, files []sourceFile, folder, library string) error {
	removeAbandoned(folder)
	work, err := os.MkdirTemp(folder, workPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	args := slices.Concat(cc.command, compilerFlags[0])
	for _, f := range files {
		name := filepath.Join(work, filepath.FromSlash(f.name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, f.text, 0o600)); err != nil {
			return err
		}
		if path.Ext(f.name) == ".c" {
			args = append(args, f.name)
		}
	}
	out, err := runCommand(ctx, work, append(append(args, "-o", Name), compilerFlags[1]...)...)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s could not build the agent (%w): %s", cc.command[0], err, firstLineWith(out, "error", "cannot "))
	}
	return errors.Join(checkObject(filepath.Join(work, Name)), os.Rename(filepath.Join(work, Name), library))
}

const workPrefix = ".build-"

// removeAbandoned removes folders that killed builds left. No build takes an hour.
func removeAbandoned(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, workPrefix+"*"))
	for _, work := range left {
		if info, err := os.Stat(work); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(work)
		}
	}
}
