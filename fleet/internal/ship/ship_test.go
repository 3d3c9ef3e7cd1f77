package ship

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/testregistry"
	"github.com/profarc/profarc/fleet/internal/testschema"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
)

// ourBuild is the version of the java that tests start.
const ourBuild = "17.0.14+7"

// TestMain hides the machine's docker configuration and JDK from the commands.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "ship")
	if err != nil {
		panic(err)
	}
	for name, text := range map[string]string{"bin/java": "#!/bin/sh\n",
		"release": `JAVA_RUNTIME_VERSION="` + ourBuild + "\"\n"} {
		path := filepath.Join(folder, "jdk", name)
		if os.MkdirAll(filepath.Dir(path), 0o777) != nil || os.WriteFile(path, []byte(text), 0o777) != nil {
			panic(path)
		}
	}
	os.Setenv("JAVA_HOME", filepath.Join(folder, "jdk"))
	os.Setenv("DOCKER_CONFIG", filepath.Join(folder, "docker"))
	os.Unsetenv("REGISTRY_AUTH_FILE")
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// fleet runs a command, and returns its output on both streams, and its exit code.
func fleet(ctx context.Context, args ...string) (out, said string, code int) {
	var stdout, stderr bytes.Buffer
	a := appTo(&stdout, &stderr)
	root := &cobra.Command{Use: "profarc-fleet"}
	root.AddGroup(&cobra.Group{ID: Group})
	root.AddCommand(Commands(a)...)
	a.CompleteRoot(root)
	code = a.Execute(ctx, root, args)
	return stdout.String(), stderr.String(), code
}

// appTo returns an App that prints to out and errs.
func appTo(out, errs io.Writer) *cli.App {
	return cli.New("profarc-fleet", strings.NewReader(""), cli.Streams{
		PlainOut: escape.NewWriter(out), PlainErr: escape.NewWriter(errs), RawOut: out, RawErr: errs,
	})
}

func quiet() *cli.App { return appTo(io.Discard, io.Discard) }

// must runs a command that must succeed, and returns its output, which its schema must allow with --json.
func must(t *testing.T, args ...string) string {
	t.Helper()
	out, said, code := fleet(t.Context(), args...)
	if code != 0 || said != "" {
		t.Fatalf("%v: exit code %d: %s", args, code, said)
	}
	if slices.Contains(args, "--json") {
		if err := testschema.Validate(testschema.Folder, args[0], out); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	return out
}

// fails runs a command that must fail with one line that has a text.
func fails(t *testing.T, want string, args ...string) {
	t.Helper()
	out, said, code := fleet(t.Context(), args...)
	if code != 1 || !strings.Contains(said, want) || strings.Count(said, "\n") != 1 ||
		!strings.HasPrefix(said, "profarc-fleet: ") || out != "" {
		t.Errorf("%v: exit code %d, %q, %q; want %q", args, code, out, said, want)
	}
}

// An archiveOf says what an archive is of.
type archiveOf struct {
	build string // of the VM; empty: ourBuild
	on    string // platform by its name in HotSpot; empty: this one
	day   int    // when it was recorded
	calls uint64
}

// archive writes an archive, and returns its path and bytes.
func (o archiveOf) write(t *testing.T) (path string, data []byte) {
	t.Helper()
	if o.build == "" {
		o.build = ourBuild
	}
	if o.on == "" {
		own := strings.NewReplacer("darwin", "bsd", "/arm64", "-aarch64", "/", "-")
		o.on = own.Replace(string(artifact.OwnPlatform()))
	}
	when := time.Date(2026, 11, 1+o.day, 12, 0, 0, 0, time.UTC)
	b := builder.New(layout.DomainHotSpot, builder.Config{
		Producer: "HotSpot " + o.build, DumpTime: when,
		Run: &layout.Provenance{Process: layout.Process{Boot: [16]byte{1}, PID: 1 + o.calls}, Time: when,
			VM: "OpenJDK 64-Bit Server VM (" + o.build + ") for " + o.on, Main: "shop.Main"},
	})
	for _, name := range []string{"open", "sell", "close"} {
		p := b.Profile(layout.Key{Class: "shop.Main", Name: name, Signature: "()V"}, 0)
		p.Invocations(o.calls)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "app.parc")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path, data
}

// image pushes an image without layers, and returns its name.
func image(t *testing.T, host, name string) string {
	t.Helper()
	repo, err := registry.Open(host+"/"+name, registry.Options{})
	if err == nil {
		err = pushEmptyConfig(t.Context(), repo)
	}
	if err != nil {
		t.Fatal(err)
	}
	manifest := `{"schemaVersion":2,"mediaType":"` + ocispec.MediaTypeImageManifest + `","config":{"mediaType":"` +
		ocispec.MediaTypeImageConfig +
		`","digest":"` + ocispec.DescriptorEmptyJSON.Digest.String() + `","size":2},"layers":[],"annotations":{"name":"` +
		name + `"}}`
	if _, err := repo.PushManifest(t.Context(), ocispec.MediaTypeImageManifest, []byte(manifest), repo.Tag()); err != nil {
		t.Fatal(err)
	}
	return host + "/" + name
}

// registries are the kinds of registries that archives go through.
var registries = map[string]func(t *testing.T) string{
	"with referrers":    func(t *testing.T) string { return testregistry.Memory(t, true, nil) },
	"without referrers": func(t *testing.T) string { return testregistry.Memory(t, false, nil) },
	"docker-registry":   func(t *testing.T) string { return testregistry.Docker(t) },
}

// inEach runs a test against each kind of registry.
func inEach(t *testing.T, test func(t *testing.T, host string)) {
	for name, start := range registries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, start(t))
		})
	}
}

// keys writes a new pair of keys, and returns their paths.
func keys(t *testing.T) (private, public string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name, kind string, der []byte, err error) string {
		path := filepath.Join(folder, name)
		if err == nil {
			err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	private = write("key.pem", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(&key.PublicKey)
	return private, write("key.pub", "PUBLIC KEY", der, err)
}

// A target is a folder to pull to.
type target struct{ folder, path string }

func newTarget(t *testing.T) target {
	folder := t.TempDir()
	return target{folder, filepath.Join(folder, "app.parc")}
}

// holds fails the test unless the folder has the archive with these bytes, and nothing else;
// with nil it must be empty.
func (o target) holds(t *testing.T, want []byte) {
	t.Helper()
	files, err := os.ReadDir(o.folder)
	if err != nil {
		t.Fatal(err)
	}
	if want == nil && len(files) == 0 {
		return
	}
	got, err := os.ReadFile(o.path)
	if want == nil || err != nil || len(files) != 1 || !bytes.Equal(got, want) {
		t.Errorf("%v, %d bytes of app.parc, %v; want %d bytes", files, len(got), err, len(want))
	}
}

// decoded returns the JSON that a command prints.
func decoded[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}
