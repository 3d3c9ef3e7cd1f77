package program_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
)

// images is a program that reads the image of a JDK with the classes of its lib/jrt-fs.jar.
const images = `import java.net.URI;
import java.nio.file.*;
import java.util.Map;

public class Images {
    public static void main(String[] home) throws Exception {
        long n = 0;
        try (FileSystem image = FileSystems.newFileSystem(URI.create("jrt:/"), Map.of("java.home", home[0]))) {
            for (int i = 0; i < 3; i++) {
                try (var files = Files.walk(image.getPath("/modules/java.base/java/util"))) {
                    n += files.filter(p -> p.toString().endsWith(".class")).count();
                }
            }
        }
        System.out.println("done " + n);
        System.in.read();
    }
}
`

// TestJarOfTheImage: the JDK has classes twice, and the ones in its jar are compared with the jar.
func TestJarOfTheImage(t *testing.T) {
	full.Only(t, "starts JVMs")
	java := jdk.FindJava("")
	if java == "" {
		t.Skip("no java: put that of a JDK on the path")
	}
	home, dir := filepath.Dir(filepath.Dir(java)), t.TempDir()
	file := filepath.Join(dir, "Images.java")
	if err := os.WriteFile(file, []byte(images), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(home, "bin", "javac"), "-d", dir, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(java, "-cp", dir, "Images", home)
	in, out := testjvm.StartPiped(t, cmd)
	t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(line, "done") {
		t.Fatalf("the program prints %q: %v", line, err)
	}
	vm, err := live.Attach(t.Context(), cmd.Process.Pid)
	if err != nil {
		t.Skipf("cannot read a JVM here: %v", err)
	}
	b, _, err := vm.Dump(t.Context(), live.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, b)
	for _, c := range []struct {
		name  string
		paths []string
		want  fit.State
	}{
		{"home", []string{dir, home}, fit.Exact},
		{"modules", []string{dir, filepath.Join(home, "lib", "modules")}, fit.Exact},
		{"jar", []string{dir, filepath.Join(home, "lib", "jrt-fs.jar")}, fit.Exact},
		{"program", []string{dir}, fit.Unchecked},
	} {
		t.Run(c.name, func(t *testing.T) {
			against, err := program.OpenClassPath(c.paths, 17)
			if err != nil {
				t.Fatal(err)
			}
			defer against.Close()
			seen := 0
			_, err = fit.Check(t.Context(), s, against, fit.Options{Each: func(v *fit.Verdict) error {
				k, err := v.Method.Key()
				if !strings.Contains(k.Loader, "JrtFsLoader") || v.Method.Flags()&layout.MethodNotMatchable != 0 {
					return err
				}
				if seen++; v.State != c.want {
					t.Errorf("%s.%s is %s: %s", k.Class, k.Name, v.State, v.Reason)
				}
				return err
			}})
			if err != nil || seen < 10 {
				t.Errorf("%d profiles of the jar: %v", seen, err)
			}
		})
	}
}

// TestGoneNeedsTheWholeClassPath: a class is gone if the class path lacks it, and unchecked if a part is missing.
func TestGoneNeedsTheWholeClassPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := layout.Key{Class: "shop/Order", Name: "add", Signature: "()V", Loader: "app"}
	for _, c := range []struct {
		name  string
		paths []string
		want  methodcode.Presence
	}{
		{"whole", []string{dir}, methodcode.NoClass},
		{"without a jar", []string{dir, filepath.Join(dir, "gone.jar")}, methodcode.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path, err := program.OpenClassPath(c.paths, 17)
			if err != nil {
				t.Fatal(err)
			}
			defer path.Close()
			if a, err := path.Method(k); a.Presence != c.want || err != nil {
				t.Errorf("%v (%s), want %v: %v", a.Presence, a.Reason, c.want, err)
			}
		})
	}
}
