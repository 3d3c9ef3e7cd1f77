//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// functions is the number of functions of a module.
const functions = 1000

// buildProgram compiles a program whose functions branch, switch, copy so and so many bytes
// and call through a pointer: LLVM counts edges, sizes and targets of them.
func (b *bench) buildProgram(ctx context.Context) (string, error) {
	program := filepath.Join(b.dir, "program")
	objects := []string{}
	for m := range b.modules {
		object := filepath.Join(b.dir, fmt.Sprintf("module%d.o", m))
		if err := b.compile(ctx, moduleSource(m), object, "-c"); err != nil {
			return "", err
		}
		objects = append(objects, object)
	}
	return program, b.compile(ctx, mainSource(b.modules), program, objects...)
}

// compile compiles a source without optimization, which takes long for so many functions.
func (b *bench) compile(ctx context.Context, source []byte, to string, more ...string) error {
	args := append([]string{"-O0", "-w", "-fprofile-generate", "-o", to, "-x", "c", "-", "-x", "none"}, more...)
	cmd := exec.CommandContext(ctx, b.clang, args...)
	cmd.Stdin = bytes.NewReader(source)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", b.clang, err, text)
	}
	_, err := os.Stat(to)
	return err
}

const oneFunction = `static int work_of_module_%[1]d_in_function_%[2]d(int n) {
	int s = n;
	for (int i = 0; i < n %% 7; i++) {
		if ((n + i) %% 3 == 0) s += i; else if (i %% 5 == 1) s ^= n;
		switch (s & 3) { case 0: s++; break; case 1: s--; break; default: s += 2; }
	}
	memcpy(to, from, s & 31);
	return n > 0 && n %% 16 == %[2]d %% 16 ? s + all[(n * 31 + %[2]d) %% N](0) : s;
}
`

// moduleSource returns the source of a module. What its functions do depends on a seed, and
// a third of them is not called.
func moduleSource(m int) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "#include <string.h>\nenum { N = %d };\nstatic char from[32], to[32];\nstatic int (*all[N])(int);\n", functions)
	for i := range functions {
		fmt.Fprintf(&text, oneFunction, m, i)
	}
	text.WriteString("static int (*all[N])(int) = {")
	for i := range functions {
		fmt.Fprintf(&text, "work_of_module_%d_in_function_%d,", m, i)
	}
	fmt.Fprintf(&text, "};\nint module_%d(unsigned seed) {\n\tint sum = 0;\n\tfor (unsigned i = 0; i < N; i++) if ((i + %d) * 2654435761u %% 100 < 63) sum += all[i](seed %% 1000 + i);\n\treturn sum;\n}\n", m, m)
	return text.Bytes()
}

func mainSource(modules int) []byte {
	var text bytes.Buffer
	text.WriteString("#include <stdlib.h>\nvoid one_run(void) {}\n")
	for m := range modules {
		fmt.Fprintf(&text, "int module_%d(unsigned);\n", m)
	}
	text.WriteString("int main(int argc, char **argv) {\n\tvolatile int sum = 0;\n\tunsigned seed = argc > 1 ? atoi(argv[1]) : 0;\n\tone_run();\n")
	for m := range modules {
		fmt.Fprintf(&text, "\tsum += module_%d(seed * 7 + %d);\n", m, m)
	}
	text.WriteString("\treturn 0;\n}\n")
	return text.Bytes()
}
