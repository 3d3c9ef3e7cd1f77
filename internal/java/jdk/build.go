// Package jdk identifies builds of HotSpot.
package jdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// VersionOfVM returns the version in a VM's description of its build, such as 17.0.14+7-LTS in "OpenJDK 64-Bit Server
// VM (17.0.14+7-LTS) for linux-amd64 ...". It returns "" for other texts.
func VersionOfVM(vm string) string {
	_, version, _ := strings.Cut(vm, "(")
	version, _, closed := strings.Cut(version, ")")
	if !closed {
		return ""
	}
	return version
}

var runtimeVersion = lazyregexp.New(`(?m)^JAVA_RUNTIME_VERSION="([^"]+)"`)

// VersionOfProgram returns the version of the JDK with a program in its folder bin, such as 17.0.14+7-LTS; "" if it is
// unknown. The path must not contain symbolic links.
func VersionOfProgram(path string) string {
	release, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "..", "release")) // nil if missing
	if version := runtimeVersion().FindSubmatch(release); version != nil {
		return string(version[1])
	}
	return ""
}

// FindJava returns the path of java without symbolic links. name is a program or the home of a JDK. If it is "",
// JAVA_HOME and then PATH decide. FindJava returns "" if it finds no java.
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

// usualHomes are patterns of the folders into which JDKs are installed. ~ stands for the user's home.
var usualHomes = []string{"/usr/lib/jvm/*", "/usr/java/*", "/opt/java/*", "/opt/jdk*", "~/.sdkman/candidates/java/*",
	"~/.jdks/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home",
	"~/Library/Java/JavaVirtualMachines/*/Contents/Home", `C:\Program Files\Java\*`,
	`C:\Program Files\Eclipse Adoptium\*`}

// FindHome returns the home of a JDK of a version, or "". It looks at the given program or home first, then at
// JAVA_HOME, PATH and the folders where JDKs usually are.
func FindHome(version, first string) string {
	if version == "" {
		return ""
	}
	programs := []string{FindJava("")}
	if first != "" {
		programs = []string{FindJava(first), FindJava("")}
	}
	user, _ := os.UserHomeDir()
	for _, pattern := range usualHomes {
		homes, _ := filepath.Glob(strings.Replace(pattern, "~", user, 1)) // sorted
		for _, home := range homes {
			programs = append(programs, FindJava(home))
		}
	}
	for _, java := range programs {
		if java != "" && VersionOfProgram(java) == version {
			return filepath.Dir(filepath.Dir(java))
		}
	}
	return ""
}
