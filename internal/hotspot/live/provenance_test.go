package live

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
)

// jarNaming makes a jar whose manifest names others.
func jarNaming(t *testing.T, path, classPath string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	w, err := z.Create("META-INF/MANIFEST.MF")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("Manifest-Version: 1.0\r\nClass-Path: " + classPath + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// described dumps a process and says which run it is of.
func described(t *testing.T, pid int) (layout.Provenance, *layout.Header) {
	t.Helper()
	vm, err := Attach(context.Background(), pid)
	if err != nil {
		t.Fatal(err)
	}
	b, r, err := vm.Dump(context.Background(), Options{Selection: "some"})
	if err != nil {
		t.Fatal(err)
	}
	r.Describe(context.Background(), b, &Contents{})
	s := open(t, b)
	if bytes.Contains((*mapped.Mapping)(s.Mapping()).Unchecked(), []byte("hunter")) {
		t.Error("the archive has a secret")
	}
	runs, err := s.Runs()
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	return runs[0], s.Header()
}

// A dump knows the process, how it was started, and what its class path holds, of
// whatever length that is and wherever it comes from.
func TestProvenance(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Setenv("JAVA_TOOL_OPTIONS", "-Djwt=hunter2 -Dx.pass=hunter3 '-Dauthorization=Bearer hunter4' "+
		"-XX:+IgnoreUnrecognizedVMOptions -XX:+hunter5 -XX:+UseSerialGC")
	testjvm.Each(t, func(t *testing.T, home string) {
		dir, err := classes()
		if err != nil {
			t.Skip(err)
		}
		jars := t.TempDir()
		jarNaming(t, filepath.Join(jars, "a.jar"), "b.jar none.jar")
		jarNaming(t, filepath.Join(jars, "b.jar"), "a.jar")
		long := strings.Repeat("/none", 300) + ".jar"
		argfile := filepath.Join(jars, "args")
		if err := os.WriteFile(argfile, []byte("-cp \""+dir+":"+long+"\"\n-Dargfile.token=hunter2 # a comment\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]struct {
			args []string
			want []string // paths
		}{
			"directory":       {nil, []string{dir}},
			"jars, manifests": {[]string{"-cp", dir + ":" + jars + "/*"}, []string{dir, jars + "/a.jar", jars + "/b.jar"}},
			"long":            {[]string{"-cp", dir + ":" + long}, []string{dir, long}},
			"argument file":   {[]string{"@" + argfile}, []string{dir, long}},
			"no PerfData": {[]string{"-XX:-UsePerfData", "-cp", dir + "::" + jars + "/b.jar"},
				[]string{dir, ".", jars + "/b.jar", jars + "/a.jar"}},
		} {
			t.Run(name, func(t *testing.T) {
				j := start(t, home, append(test.args, "-XX:hunter6=7", "-Ddb.password=hunter2", "Twins",
					"--token", "hunter2", "-p", "hunter2", "--pwd=hunter2", "Authorization: Bearer hunter2",
					"-phunter2")...)
				j.await("ready")
				r, h := described(t, j.pid())
				var paths []string
				for _, e := range r.ClassPath {
					paths = append(paths, e.Path)
				}
				slices.Sort(paths[1:]) // the launcher takes a directory's jars in any order
				slices.Sort(test.want[1:])
				if !slices.Equal(paths, test.want) {
					t.Errorf("class path %q, want %q", paths, test.want)
				}
				if want := archive.SumContent(t.Context(), dir); r.ClassPath[0].Content != want ||
					want.Kind != disk.ContentDirectory {
					t.Errorf("the first entry is %+v, want %+v", r.ClassPath[0], want)
				}
				checkRun(t, j, &r, h)
			})
		}
	})
}

func checkRun(t *testing.T, j *jvm, r *layout.Provenance, h *layout.Header) {
	t.Helper()
	if r.Main != "Twins" || !strings.Contains(r.VM, "Server VM (") ||
		r.Vendor == "" && !strings.Contains(r.Command, "-UsePerfData") {
		t.Errorf("main %q, VM %q, vendor %q", r.Main, r.VM, r.Vendor)
	}
	if all := r.Command + r.Options; strings.Contains(all, "hunter") ||
		!strings.HasSuffix(r.Command, "-XX:*** -Ddb.password=*** Twins --token *** -p *** --pwd=*** *** -***") ||
		!strings.Contains(r.Options, "-Djwt=*** -Dx.pass=***") ||
		!strings.Contains(r.Options, "-XX:+IgnoreUnrecognizedVMOptions -XX:*** -XX:+UseSerialGC") {
		t.Errorf("command %q, options %q", r.Command, r.Options)
	}
	if strings.Contains(r.Command, "@") != strings.Contains(r.Options, "-Dargfile.token=***") {
		t.Errorf("command %q, options %q", r.Command, r.Options)
	}
	if r.Process.PID != uint64(j.pid()) || !r.Process.Known() || r.Process.Start == 0 || r.Begun.After(r.Time) ||
		r.Exit != 0 || r.Selection != "some" {
		t.Errorf("the run is %+v", r)
	}
	if h.DumpID != disk.DumpID(r.Process, [16]byte{}, h.Time()) || h.Fingerprint != disk.Fingerprint(r.VM, r.ClassPath) ||
		h.Fingerprint == [16]byte{} {
		t.Errorf("dump id %x, fingerprint %x", h.DumpID, h.Fingerprint)
	}
}

// Two dumps of a JVM are of one process, and of one program.
func TestDumpsOfOneProcess(t *testing.T) {
	if testjvm.First() == "" {
		t.Skip("no JVM")
	}
	j := start(t, testjvm.First(), "Twins")
	j.await("ready")
	first, h1 := described(t, j.pid())
	second, h2 := described(t, j.pid())
	if first.Process != second.Process {
		t.Errorf("two dumps of one process are of %+v and %+v", first.Process, second.Process)
	}
	if !second.Time.After(first.Time) {
		t.Errorf("the second dump is of %v, the first of %v", second.Time, first.Time)
	}
	if h1.DumpID == h2.DumpID {
		t.Errorf("both dumps have the identity %x", h1.DumpID)
	}
	if h1.Fingerprint != h2.Fingerprint {
		t.Errorf("fingerprints %x and %x of one program", h1.Fingerprint, h2.Fingerprint)
	}
	if h1.Counts.Methods == h2.Counts.Methods && h1.Base != h2.Base { // a method that came between is another key
		t.Errorf("bases %x and %x of the same methods", h1.Base, h2.Base)
	}
	other := start(t, testjvm.First(), "Twins")
	other.await("ready")
	third, h3 := described(t, other.pid())
	if third.Process == first.Process {
		t.Errorf("two processes are %+v", third.Process)
	}
	if h3.Fingerprint != h1.Fingerprint {
		t.Errorf("fingerprints %x and %x of one program", h1.Fingerprint, h3.Fingerprint)
	}
	if disk.RandomDumpID() == h1.DumpID {
		t.Error("it is a random identity")
	}
}

func TestLaunchClassPath(t *testing.T) {
	files := map[string]string{"args": "-cp 'from file'\n# -cp no\n--add-modules x", "more": `"-cp" a\b "c\\d"`}
	for _, test := range []struct {
		args string // by |
		env  map[string]string
		want string
	}{
		{"java|Main", nil, "."},
		{"/x/bin/java|-cp|a:b|Main|-cp|c", nil, "a:b"},
		{"java|-cp|a|--class-path=b|Main", nil, "b"},
		{"java|--class-path|a|-Djava.class.path=b|Main", nil, "b"},
		{"java|-cp|a|-jar|x.jar|-cp|b", nil, "x.jar"},
		{"java|Main", map[string]string{"CLASSPATH": "e"}, "e"},
		{"java|-cp|a|Main", map[string]string{"CLASSPATH": "e"}, "a"},
		{"java|--add-modules|m|-p|mods|-m|m/Main", nil, ""},
		{"java|@args|Main", nil, "from file"},
		{"java|-cp|a|@args|Main|@more", nil, "from file"},
		{"java|Main", map[string]string{"JDK_JAVA_OPTIONS": `-Dx=y -cp "a b"`}, "a b"},
		{"java|-cp|lib/*:x:none/*|Main", nil, "lib/2.jar:lib/1.JAR:x:none/*"},
		{"java|-cp", nil, "."},
		{"java|@none", nil, "."},
	} {
		l := &launch{argv: strings.Split(test.args, "|"), env: test.env,
			read: func(name string) (string, bool) { text, ok := files[name]; return text, ok },
			list: func(dir string) []string { return map[string][]string{"lib/": {"2.jar", "x.txt", "1.JAR"}}[dir] }}
		if got, ok := l.classPath(); !ok || got != test.want {
			t.Errorf("%s %v: class path %q, want %q", test.args, test.env, got, test.want)
		}
	}
	if _, ok := (&launch{argv: []string{"javac", "-cp", "x"}}).classPath(); ok {
		t.Error("another program has a class path")
	}
}

func TestMainOf(t *testing.T) {
	for _, test := range []struct {
		command, argv, want string
	}{
		{"Main a b", "java|-cp|x|Main|a b", "Main"},
		{"my app.jar x", "java|-jar|my app.jar|x", "my app.jar"},
		{"my app.jar", "embedded", "my"},
		{"", "java|Main", ""},
		{"Main", "", "Main"},
	} {
		t.Run(test.command, func(t *testing.T) {
			if got := mainArgument(test.command, strings.Split(test.argv, "|")); got != test.want {
				t.Errorf("%q of %q is %q, want %q", test.command, test.argv, got, test.want)
			}
		})
	}
}

// The memory where a VM keeps its measurements can hold any bytes.
func TestForgedPerfTexts(t *testing.T) {
	entry := func(length, name, n, typ, data int64, rest string) []byte {
		b := make([]byte, perfEntry)
		le.PutUint32(b, uint32(length))
		le.PutUint32(b[4:], uint32(name))
		le.PutUint32(b[8:], uint32(n))
		b[12] = byte(typ)
		le.PutUint32(b[16:], uint32(data))
		return append(b, rest...)
	}
	sound := entry(30, 20, 5, 'B', 25, "name\x00text\x00")
	for name, e := range map[string][]byte{
		"name beyond": entry(30, 31, 5, 'B', 25, "name\x00text\x00"),
		"name far":    entry(30, 1<<31, 5, 'B', 25, "name\x00text\x00"),
		"data beyond": entry(30, 20, 5, 'B', 26, "name\x00text\x00"),
		"data far":    entry(30, 20, 1<<31, 'B', 1<<31, "name\x00text\x00"),
		"a number":    entry(30, 20, 5, 'J', 25, "name\x00text\x00"),
		"no vector":   entry(30, 20, 0, 'B', 25, "name\x00text\x00"),
	} {
		if n, text, ok := parsePerfText(e); ok {
			t.Errorf("%s: %q %q", name, n, text)
		}
	}
	if n, text, ok := parsePerfText(sound); !ok || n != "name" || text != "text" {
		t.Errorf("%q %q %v", n, text, ok)
	}
}
