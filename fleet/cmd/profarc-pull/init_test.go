package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/ship"
	"github.com/profarc/profarc/fleet/internal/testregistry"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
)

const (
	initContainer = "../../../recipes/kubernetes/init-container.yaml"
	appBuild      = "21.0.5+11" // as in the recipe
)

// A pod has the volumes of the recipe's init container as folders.
type pod struct {
	container corev1.Container
	folder    string
	image     string
}

func newPod(t *testing.T, image string) pod {
	t.Helper()
	text, err := os.ReadFile(initContainer)
	if err != nil {
		t.Fatal(err)
	}
	var d appsv1.Deployment
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		t.Fatal(err)
	}
	p := pod{d.Spec.Template.Spec.InitContainers[0], t.TempDir(), image}
	for _, mount := range p.container.VolumeMounts {
		if err := os.Mkdir(filepath.Join(p.folder, mount.MountPath), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// run runs the init container. Its process has the variables of the manifest only, so that it has no HOME.
func (p pod) run(t *testing.T) (said string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mounted := func(text string) string {
		at := strings.Index(text, "/")
		for _, mount := range p.container.VolumeMounts {
			if at >= 0 && strings.HasPrefix(text[at:]+"/", mount.MountPath+"/") {
				return text[:at] + filepath.Join(p.folder, text[at:])
			}
		}
		return text
	}
	cmd := exec.CommandContext(t.Context(), self)
	var variables []string
	for _, v := range p.container.Env {
		value := mounted(v.Value)
		if v.Name == "APP_IMAGE" {
			value = p.image
		}
		cmd.Env = append(cmd.Env, v.Name+"="+value)
		variables = append(variables, "$("+v.Name+")", value)
	}
	cmd.Args = []string{"profarc-pull"} // the entry point of the image
	for _, arg := range p.container.Args {
		cmd.Args = append(cmd.Args, strings.NewReplacer(variables...).Replace(mounted(arg)))
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run()
	return out.String(), cmd.ProcessState.ExitCode()
}

// mountSecret writes a file as Kubernetes mounts Secrets, as a link to a file in a folder that is a link.
func (p pod) mountSecret(t *testing.T, volume, name, text string) {
	t.Helper()
	data := filepath.Join(p.folder, volume, "..2026")
	for _, err := range []error{os.Mkdir(data, 0o777), os.WriteFile(filepath.Join(data, name), []byte(text), 0o600),
		os.Symlink("..2026", filepath.Join(p.folder, volume, "..data")),
		os.Symlink(filepath.Join("..data", name), filepath.Join(p.folder, volume, name))} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// holds fails the test unless the volume has the archive with these bytes, and nothing else.
func (p pod) holds(t *testing.T, want []byte) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(p.folder, "profiles"))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(filepath.Join(p.folder, "profiles", "app.parc"))
	if !bytes.Equal(got, want) || want == nil && len(files) > 0 {
		t.Errorf("the volume has %v and %d bytes of app.parc, want %d", files, len(got), len(want))
	}
}

// signedArchive writes an archive and a new pair of keys.
func signedArchive(t *testing.T) (path, private string, data, public []byte) {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{DumpTime: time.Unix(1e9, 0), Run: &layout.Provenance{
		VM: "OpenJDK 64-Bit Server VM (" + appBuild + ") for all", Main: "shop.Main", Time: time.Unix(1e9, 0)}})
	p := b.Profile(layout.Key{Class: "shop.Main", Name: "sell", Signature: "()V"}, 0)
	p.Invocations(7)
	err := p.Done()
	if err == nil {
		data, _, err = b.Bytes()
	}
	key, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	der2, err2 := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	path, private = filepath.Join(t.TempDir(), "app.parc"), filepath.Join(t.TempDir(), "key.pem")
	private1 := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if os.WriteFile(path, data, 0o666) != nil || os.WriteFile(private, private1, 0o600) != nil {
		t.Fatal(path)
	}
	return path, private, data, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der2})
}

// command runs a command of profarc-fleet, which must succeed.
func command(t *testing.T, args ...string) {
	t.Helper()
	var said bytes.Buffer
	a := cli.New("profarc-fleet", nil, cli.Streams{PlainOut: escape.NewWriter(io.Discard),
		PlainErr: escape.NewWriter(&said), RawOut: io.Discard, RawErr: &said})
	root := &cobra.Command{Use: "profarc-fleet"}
	root.AddGroup(&cobra.Group{ID: ship.Group})
	root.AddCommand(ship.Commands(a)...)
	a.CompleteRoot(root)
	if code := a.Execute(context.WithoutCancel(t.Context()), root, args); code != 0 {
		t.Fatalf("%v: %d: %s", args, code, &said)
	}
}

// pushImage pushes an image without layers, and returns its name.
func pushImage(t *testing.T, name string) string {
	t.Helper()
	repo, err := registry.Open(name, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const manifest = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`
	if _, err := repo.PushManifest(t.Context(), "application/vnd.oci.image.index.v1+json", []byte(manifest),
		repo.Tag()); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestInitContainerNeverFails runs the recipe against a registry that demands an account.
func TestInitContainerNeverFails(t *testing.T) {
	var mode atomic.Value
	mode.Store("open")
	host := testregistry.Memory(t, true, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, word, _ := r.BasicAuth()
			switch {
			case mode.Load() == "closed" && (user != "ci" || word != "secret"):
				w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
				w.WriteHeader(http.StatusUnauthorized)
			case mode.Load() == "damaged" && strings.Contains(r.URL.Path, "/blobs/"):
				fmt.Fprint(w, "not what it was")
			default:
				h.ServeHTTP(w, r)
			}
		})
	})
	path, private, data, public := signedArchive(t)
	image := pushImage(t, host+"/app:1.0")
	command(t, "push", path, "--subject", image, "--sign", private)
	run := func(to string, secret bool, image, want string, bytes []byte) {
		t.Helper()
		mode.Store(to)
		p := newPod(t, image)
		p.mountSecret(t, "key", "key.pub", string(public))
		if secret {
			p.mountSecret(t, "account", ".dockerconfigjson",
				fmt.Sprintf(`{"auths":{%q:{"auth":"Y2k6c2VjcmV0"}}}`, host+"/app")) // ci:secret
		}
		if said, code := p.run(t); code != 0 || !strings.Contains(said, want) {
			t.Errorf("exit code %d: %s; want %q", code, said, want)
		}
		p.holds(t, bytes)
	}
	run("open", false, image, "no such thing", nil) // nothing was promoted
	command(t, "promote", image, "--to", "prod")
	run("open", false, image, "pulled  ", data)
	run("closed", true, image, "signed by the key of", data)
	run("closed", false, image, "name a file with its account in REGISTRY_AUTH_FILE", nil)
	run("damaged", false, image, "tampered", nil)
	run("open", false, host+"/app:2.0", "no such thing", nil)
}
