package recipes

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// adopting skips a test where no agent can be built or no JVM traced.
func adopting(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: build tools take their time")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the agent is for Linux on amd64 and arm64")
	}
	needs(t, "cc", "gcc")
	needs(t, "javac", "openjdk-17-jdk-headless")
}

// debianRepository is where Debian's packages of Java libraries put them.
const debianRepository = "/usr/share/maven-repo"

// TestMaven trains and tests with Debian's Maven, which is offline and has plugins of other versions.
func TestMaven(t *testing.T) {
	needs(t, "mvn", "maven")
	adopting(t)
	for _, there := range []string{"org/apache/maven/plugins/maven-surefire-plugin/2.22.3",
		"org/apache/maven/plugins/maven-compiler-plugin/3.10.1", "org/apache/maven/plugins/maven-resources-plugin/3.3.0",
		"junit/junit/4.13.2"} {
		if _, err := os.Stat(filepath.Join(debianRepository, there)); err != nil {
			t.Skip("a plugin or JUnit 4.13.2 is missing: install libsurefire-java, libmaven-compiler-plugin-java, " +
				"libmaven-resources-plugin-java and junit4 of Debian 12")
		}
	}
	withProfarc(t)
	folder := copied(t, "maven")
	offline := []string{"-o", "-B", "-Dmaven.repo.local=" + debianRepository, "-Dsurefire.version=2.22.3",
		"-Dcompiler.version=3.10.1", "-Dresources.version=3.3.0"}
	contains(t, must(t, folder, "mvn", append(offline, "test")...), "Tests run: 1, Failures: 0")
	contains(t, must(t, folder, "sh", append([]string{"profarc.sh"}, offline...)...), "wrote .profarc/tests.parc")
	must(t, folder, "profarc", "show", ".profarc/tests.parc", "--class", "example.Words", "--method", "count")
	t.Setenv("PROFARC_AGENT", "")
	contains(t, must(t, folder, "mvn", append(offline, "-Dprofarc.report=,report=report.json", "test")...),
		"Tests run: 1, Failures: 0")
	contains(t, read(t, folder, "report.json"), `"profiles_in_archive"`)

	// Without the archive the tests run as they are.
	if err := os.Remove(filepath.Join(folder, ".profarc", "tests.parc")); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, folder, "mvn", append(offline, "test")...), "Tests run: 1, Failures: 0")
}

const gradleBuild = `
apply plugin: 'java'
repositories { flatDir { dirs '/usr/share/java' } }
dependencies { testImplementation name: 'junit4'; testImplementation name: 'hamcrest-core' }
apply from: 'profarc.gradle'
`

// TestGradle trains and tests with Debian's Gradle, 4.4.
func TestGradle(t *testing.T) {
	needs(t, "gradle", "gradle")
	adopting(t)
	if _, err := os.Stat("/usr/share/java/junit4.jar"); err != nil {
		t.Skip("no JUnit: install junit4")
	}
	withProfarc(t)
	folder := copied(t, "maven") // the same sources
	put(t, gradleBuild, folder, "build.gradle")
	put(t, "rootProject.name = 'warm-tests'\n", folder, "settings.gradle")
	put(t, read(t, "gradle/profarc.gradle"), folder, "profarc.gradle")
	script, err := filepath.Abs("gradle/profarc.sh")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, folder, "sh", script, "--offline"), "wrote .profarc/tests.parc")
	must(t, folder, "profarc", "show", ".profarc/tests.parc", "--class", "example.Words", "--method", "count")
	contains(t, must(t, folder, "gradle", "--no-daemon", "--offline", "--info", "test"), "libprofarc-agent.so=archive=",
		"BUILD SUCCESSFUL")
	if err := os.Remove(filepath.Join(folder, ".profarc", "tests.parc")); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, folder, "gradle", "--no-daemon", "--offline", "test"), "BUILD SUCCESSFUL")
}
