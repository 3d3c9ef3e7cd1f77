package javacommand

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
	if p, err := FindCommand([]string{filepath.Join(bin, "javac")}, false); err == nil && p.Way != WayNone {
		t.Error("a program beside java is taken for a tool of a JDK")
	}
	if err := os.WriteFile(filepath.Join(home, "lib", "modules"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Options, "-Dold=1")
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
		t.Run(c.name, func(t *testing.T) {
			p, err := FindCommand([]string{filepath.Join(bin, c.name), "rest"}, c.inherit)
			if err != nil {
				t.Skip(err) // a system that runs no scripts
			}
			s, err := p.WithFlags(flags...)
			if got := strings.Join(s.Args[1:], "|"); err != nil || got != c.args {
				t.Errorf("%s gets %s: %v", c.name, got, err)
			}
			if env := s.Environment(); c.env != "" && !slices.Contains(env, Options+"="+c.env) {
				t.Errorf("%s has the environment %q", c.name, env)
			}
			if java := p.JavaPath(); java != filepath.Join(bin, "java") {
				t.Errorf("%s runs %s", c.name, java)
			}
		})
	}
	if _, err := quoteOption(`a 'b' "c"`); err == nil {
		t.Error("both quotes were quoted")
	}
}
