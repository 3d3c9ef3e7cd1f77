// Package testazure starts Azurite, an emulator of Azure's blob storage, on a loopback address for tests.
package testazure

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"

	"github.com/profarc/profarc/fleet/internal/interception"
)

// The account of every Azurite, which is public.
const (
	account = "devstoreaccount1"
	key     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// FolderVariable names the folder into which npm installed the package azurite.
const FolderVariable = "PROFARC_AZURITE"

// container is the only container. Its name has at least three characters.
const container = "builds"

// A Store has an empty container.
type Store struct {
	*interception.Handler
	server *httptest.Server
}

// Start starts an empty store until the test ends, and sets its credentials in the environment. It skips the test if
// Azurite is missing.
func Start(t *testing.T) *Store {
	t.Helper()
	folder := os.Getenv(FolderVariable)
	if folder == "" {
		t.Skip(FolderVariable + " names no folder into which npm installed azurite")
	}
	address := startAzurite(t, filepath.Join(folder, "node_modules", ".bin", "azurite-blob"))
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { // a client was killed
		w.WriteHeader(http.StatusBadGateway)
	}
	s := &Store{Handler: interception.New(proxy)}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	t.Setenv("AZURE_STORAGE_ACCOUNT", account)
	t.Setenv("AZURE_STORAGE_KEY", key)
	credential, err := azblob.NewSharedKeyCredential(account, key)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azblob.NewClientWithSharedKeyCredential(s.server.URL+"/"+account, credential, nil)
	if err == nil {
		_, err = client.CreateContainer(t.Context(), container, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// URL returns the URL of a name in the container.
func (s *Store) URL(name string) string {
	return "azblob://" + container + "/" + name + "?protocol=http&localemu=true&domain=" +
		strings.TrimPrefix(s.server.URL, "http://")
}

// startAzurite starts the program on a free port, and waits until it answers.
func startAzurite(t *testing.T, program string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = listener.Addr().String()
	listener.Close()
	_, port, _ := net.SplitHostPort(address)
	var said bytes.Buffer
	cmd := exec.Command(program, "--blobHost", "127.0.0.1", "--blobPort", port, "--inMemoryPersistence", "--silent",
		"--skipApiVersionCheck", "--disableTelemetry")
	cmd.Dir = t.TempDir()
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get("http://" + address + "/" + account)
		if err == nil {
			answer.Body.Close()
			return address
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("azurite does not answer: %v: %s", err, &said)
		}
	}
}
