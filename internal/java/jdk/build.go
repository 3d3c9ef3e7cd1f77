// Package jdk tells builds of HotSpot apart.
package jdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// OfVM returns the version in the text by which a VM names its build: 17.0.14+7-LTS of "OpenJDK 64-Bit Server
// VM (17.0.14+7-LTS) for linux-amd64 ...". It is empty if the text has another form.
func OfVM(vm string) string {
	_, version, _ := strings.Cut(vm, "(")
	version, _, closed := strings.Cut(version, ")")
	if !closed {
		return ""
	}
	return version
}

var runtimeVersion = regexp.MustCompile(`(?m)^JAVA_RUNTIME_VERSION="([^"]+)"`)

// OfProgram returns the version of the JDK that a program in its folder bin is of, as
// 17.0.14+7-LTS. It is empty if it is not known. The path has no symbolic links.
func OfProgram(path string) string {
	release, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "..", "release")) // empty if there is none
	if version := runtimeVersion.FindSubmatch(release); version != nil {
		return string(version[1])
	}
	return ""
}

// FindJava returns the java that a start would run: the one named, or JAVA_HOME's, or
// the one on PATH. The name may be a program or the home of a JDK. It is empty if there is none.
func FindJava(name string) string {
	names := []string{filepath.Join(os.Getenv("JAVA_HOME"), "bin", "java"), "java"}
	if os.Getenv("JAVA_HOME") == "" {
		names = names[1:]
	}
	if name != "" {
		names = []string{filepath.Join(name, "bin", "java"), name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				return real
			}
			return path
		}
	}
	return ""
}
