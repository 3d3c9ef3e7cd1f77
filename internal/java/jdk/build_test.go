package jdk

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestVersionInTheTextOfAVM(t *testing.T) {
	t.Parallel()
	for vm, want := range map[string]string{
		"OpenJDK 64-Bit Server VM (17.0.14+7-LTS) for linux-amd64 JRE (17.0.14+7-LTS), built on Jan 1 2025": "17.0.14+7-LTS",
		"some VM": "", "": "", "cut (17": "", "()": "",
	} {
		if got := VersionOfVM(vm); got != want {
			t.Errorf("%q is of %q, want %q", vm, got, want)
		}
	}
}

// newJDK makes a folder that looks like a JDK.
func newJDK(t *testing.T, version string) string {
	t.Helper()
	home := t.TempDir()
	for name, text := range map[string]string{"bin/java": "#!/bin/sh\n",
		"release": "IMPLEMENTOR=\"x\"\nJAVA_RUNTIME_VERSION=\"" + version + "\"\n"} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func TestJavaOfAStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program that it makes is a script of sh")
	}
	named, home, onPath := newJDK(t, "25+1"), newJDK(t, "21+2"), newJDK(t, "17+3")
	linked := filepath.Join(t.TempDir(), "java")
	if err := os.Symlink(filepath.Join(onPath, "bin", "java"), linked); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JAVA_HOME", home)
	t.Setenv("PATH", filepath.Dir(linked))
	check := func(name, want string) {
		t.Helper()
		if got := VersionOfProgram(FindJava(name)); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	check(named, "25+1")
	check(filepath.Join(named, "bin", "java"), "25+1")
	check("", "21+2")
	t.Setenv("JAVA_HOME", "")
	check("", "17+3")
	check(t.TempDir(), "")
	t.Setenv("PATH", "")
	check("", "")
}

// TestHomeOfAVersion: the JDK that ran comes first, then a start's, then those in the usual folders.
func TestHomeOfAVersion(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program that it makes is a script of sh")
	}
	ran, also, onPath := newJDK(t, "25+1"), newJDK(t, "25+1"), newJDK(t, "17+3")
	user := t.TempDir()
	for folder, version := range map[string]string{".jdks/a": "99+9", ".sdkman/candidates/java/b": "98+8"} {
		home := newJDK(t, version)
		link := filepath.Join(user, folder)
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(home, link); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", user)
	t.Setenv("JAVA_HOME", also)
	t.Setenv("PATH", filepath.Join(onPath, "bin"))
	for _, c := range []struct{ version, first, want string }{
		{"25+1", filepath.Join(ran, "bin", "java"), ran},
		{"25+1", "", also},
		{"25+1", filepath.Join(onPath, "bin", "java"), also},
		{"25+2", ran, ""},
		{"", ran, ""},
	} {
		if got := FindHome(c.version, c.first); got != c.want {
			t.Errorf("%s after %q is %q, want %q", c.version, c.first, got, c.want)
		}
	}
	for _, version := range []string{"99+9", "98+8"} {
		if VersionOfProgram(filepath.Join(FindHome(version, ""), "bin", "java")) != version {
			t.Errorf("%s is in none of the usual folders", version)
		}
	}
}
