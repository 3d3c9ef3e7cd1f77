package warm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFlagsReachTheJVM(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	for _, folder := range []string{bin, filepath.Join(home, "lib")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"java", "javac", "other"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := findTarget([]string{filepath.Join(bin, "javac")}, false); err == nil {
		t.Error("a program beside java is taken for a tool of a JDK")
	}
	if err := os.WriteFile(filepath.Join(home, "lib", "modules"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(toolOptions, "-Dold=1")
	t.Setenv("JAVA_HOME", home)
	flags := []string{"-Xa", "-Dp=a b"}
	for _, c := range []struct {
		name    string
		inherit bool
		args    string
		env     string
	}{
		{"java", false, "-Xa|-Dp=a b|rest", ""},
		{"javac", false, "-J-Xa|-J-Dp=a b|rest", ""},
		{"other", true, "rest", "-Dold=1 -Xa '-Dp=a b'"},
	} {
		target, err := findTarget([]string{filepath.Join(bin, c.name), "rest"}, c.inherit)
		if err != nil {
			t.Skip(err) // a system that runs no scripts
		}
		args, env, err := target.with(flags)
		if got := strings.Join(args[1:], "|"); err != nil || got != c.args {
			t.Errorf("%s gets %s: %v", c.name, got, err)
		}
		if c.env != "" && !slices.Contains(env, toolOptions+"="+c.env) {
			t.Errorf("%s has the environment %q", c.name, env)
		}
	}
	if _, err := quoteForVM(`a 'b' "c"`); err == nil {
		t.Error("both quotes were quoted")
	}
}

func TestWordsAreSplitAsByAShell(t *testing.T) {
	t.Parallel()
	words, err := splitWords(`  -Xa "-Db=c d" -De='f "g' ''  -Xh `)
	if want := []string{"-Xa", "-Db=c d", `-De=f "g`, "", "-Xh"}; err != nil || !slices.Equal(words, want) {
		t.Errorf("%q, %v", words, err)
	}
}
