package recipes

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A builder runs buildah with a storage of its own.
type builder struct {
	t       *testing.T
	storage string
}

func (b builder) args(args []string) []string {
	return append([]string{"--storage-driver", "vfs", "--root", filepath.Join(b.storage, "root"), "--runroot",
		filepath.Join(b.storage, "run")}, args...)
}

func (b builder) run(args ...string) string {
	b.t.Helper()
	return must(b.t, b.storage, "buildah", b.args(args)...)
}

// newBuilder returns a builder, or skips the test if buildah does not work here.
func newBuilder(t *testing.T) builder {
	t.Helper()
	needs(t, "buildah", "buildah")
	needs(t, "ldd", "libc-bin")
	if os.Geteuid() != 0 {
		t.Skip("buildah's isolation in a chroot needs root")
	}
	t.Setenv("BUILDAH_ISOLATION", "chroot")
	b := builder{t, t.TempDir()}
	if out, code := run(t, b.storage, "buildah", b.args([]string{"from", "--name", "base", "scratch"})...); code != 0 {
		t.Skip("buildah does not work here: " + out)
	}
	return b
}

// putJava puts a shell and a Java runtime into the root of a system.
func putJava(t *testing.T, root string) {
	t.Helper()
	java := filepath.Join(root, "opt", "java")
	must(t, root, "jlink", "--add-modules", "java.base", "--output", java)
	putShell(t, root)
	putLibraries(t, root, filepath.Join(java, "bin", "java"), filepath.Join(java, "lib", "libjli.so"),
		filepath.Join(java, "lib", "server", "libjvm.so"),
		filepath.Join(java, "lib", "libjava.so"), filepath.Join(java, "lib", "libnio.so"),
		filepath.Join(java, "lib", "libjimage.so"), filepath.Join(java, "lib", "libzip.so"))
}

// putShell puts a shell and a folder for temporary files into the root of a system.
func putShell(t *testing.T, root string) {
	t.Helper()
	put(t, "", root, "tmp", ".keep")
	put(t, read(t, "/bin/sh"), root, "bin", "sh")
	putLibraries(t, root, "/bin/sh")
}

// putLibraries puts the libraries that files load into the root of a system.
func putLibraries(t *testing.T, root string, files ...string) {
	t.Helper()
	libraries := regexp.MustCompile(`/\S+\.so\S*`)
	for _, loads := range files {
		out, _ := run(t, root, "ldd", loads)
		for _, library := range libraries.FindAllString(out, -1) {
			if _, err := os.Stat(filepath.Join(root, library)); err != nil && !strings.HasPrefix(library, root) {
				put(t, read(t, library), root, library)
			}
		}
	}
}

const program = `
public class App {
    static int work(int n) { return n % 3 == 0 ? 1 : 2; }
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 200000; i++) sum += work(i);
        System.out.println("worked " + sum);
    }
}
`

// TestDockerfile builds the image on a base of this machine's parts, and runs it.
func TestDockerfile(t *testing.T) {
	needs(t, "jlink", "openjdk-17-jdk-headless")
	b := newBuilder(t)
	adopting(t)
	withProfarc(t)
	root, context := t.TempDir(), t.TempDir()
	putJava(t, root)
	b.run("copy", "base", root, "/")
	b.run("config", "--env", "PATH=/opt/java/bin:/bin", "base")
	b.run("commit", "base", "localhost/base")

	put(t, program, context, "App.java")
	must(t, context, "javac", "App.java")
	must(t, context, "jar", "--create", "--file", "app.jar", "--main-class", "App", "App.class")
	must(t, context, "profarc", "agent", "install", context)
	// The image's java is another build than this machine's, as jlink makes it; the VM is the same.
	must(t, context, "profarc", "train", "-o", "app.parc", "--", filepath.Join(root, "opt", "java", "bin", "java"),
		"-jar", "app.jar")
	put(t, read(t, "docker/Dockerfile"), context, "Dockerfile")
	b.run("build", "--network", "none", "--build-arg", "BASE=localhost/base", "-t", "localhost/app", context)
	start := regexp.MustCompile(`(?m)^CMD \["(.*)"\]$`).FindStringSubmatch(read(t, "docker/Dockerfile"))
	if start == nil {
		t.Fatal("the Dockerfile has no CMD")
	}
	command := strings.Split(start[1], `", "`)
	b.run("from", "--name", "app", "localhost/app")
	out := b.run(append([]string{"run", "app", "--"}, command...)...)
	contains(t, out, "worked 333333")
	if strings.Contains(out, "no profiles adopted") {
		t.Errorf("the image starts cold: %s", out)
	}

	// Without an archive the same image works.
	put(t, "", context, "app.parc")
	b.run("build", "--network", "none", "--build-arg", "BASE=localhost/base", "-t", "localhost/cold", context)
	b.run("from", "--name", "cold", "localhost/cold")
	contains(t, b.run(append([]string{"run", "cold", "--"}, command...)...), "worked 333333", "no profiles adopted")
}
