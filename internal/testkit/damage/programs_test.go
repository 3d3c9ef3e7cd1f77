package damage

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

const root = "../../.."

// scratch is the folder of compiled programs.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "damage"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

var errNoCompiler = errors.New("there is no C compiler")

// compileInC compiles a program in C, with sanitizers if the compiler has them.
func compileInC(name string, arguments ...string) (program string, err error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", errNoCompiler
	}
	program = filepath.Join(scratch, name)
	args := append([]string{"-Wall", "-Wextra", "-Werror", "-g", "-O1", "-o", program}, arguments...)
	sanitizers := []string{"-lm", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	if exec.Command(cc, append(args, sanitizers...)...).Run() == nil {
		return program, nil
	}
	return program, runCompiler(cc, append(args, "-lm")...)
}

func runCompiler(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", args, err, out)
	}
	return nil
}

var compileLibprofarc = sync.OnceValues(func() (string, error) {
	sources, err := filepath.Glob(root + "/c/src/*.c")
	if err != nil {
		return "", err
	}
	return compileInC("libprofarc", append(sources, root+"/c/tests/dump.c", "-std=c11", "-pthread",
		"-I"+root+"/c/include")...)
})

var compileCreader = sync.OnceValues(func() (string, error) {
	return compileInC("creader", "-std=c11", "../creader/creader.c")
})

var compileForgeries = sync.OnceValues(func() (string, error) {
	return compileInC("forgeries", "-std=c11", "-D_GNU_SOURCE", "-Wno-clobbered", "../creader/forgeries.c")
})

var compileMinimal = sync.OnceValues(func() (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "minimal", "c", "*.c"))
	if err != nil {
		return "", err
	}
	return compileInC("minimal", files...)
})

var buildProfarc = sync.OnceValues(func() (string, error) {
	program := filepath.Join(scratch, "profarc")
	return program, runCompiler("go", "build", "-o", program, root+"/cmd/profarc")
})

// programOf returns the program that the first call of compile made. It skips the test if there is no compiler.
func programOf(t *testing.T, compile func() (string, error)) string {
	t.Helper()
	program, err := compile()
	if errors.Is(err, errNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// libprofarcDump returns c/tests/dump.c with libprofarc.
func libprofarcDump(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("dump.c is for Linux")
	}
	return programOf(t, compileLibprofarc)
}

// creaderForgeries returns forgeries.c of the reader in C.
func creaderForgeries(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("forgeries.c prints into memory as Linux can")
	}
	return programOf(t, compileForgeries)
}
