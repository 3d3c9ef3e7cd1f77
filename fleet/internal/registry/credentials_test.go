package registry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oras.land/oras-go/v2/registry/remote/auth"
)

// userOf returns the user of the account for a repository.
func userOf(t *testing.T, name string) (string, error) {
	t.Helper()
	repo, err := Open(name, Options{})
	if err != nil {
		return "", err
	}
	client := repo.remote.Client.(*auth.Client)
	if client.Credential == nil {
		return "", nil
	}
	found, err := client.Credential(t.Context(), repo.ref.Host())
	return found.Username, err
}

func writeFile(t *testing.T, folder, name, user string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	text := `{"auths":{"registry.example":{"username":"` + user + `","password":"x"}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFilesWithCredentials: the variables come before the home, which can be missing or closed.
func TestFilesWithCredentials(t *testing.T) {
	home, docker, secret, empty := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".docker"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, ".docker"), "config.json", "home")
	inDocker := writeFile(t, docker, "config.json", "docker")
	writeFile(t, docker, ".dockerconfigjson", "second")
	inSecret := writeFile(t, secret, ".dockerconfigjson", "secret")
	named := writeFile(t, empty, "account.json", "named")
	for _, c := range []struct{ home, docker, file, want string }{
		{"", "", "", ""},
		{empty, "", "", ""},
		{filepath.Join(empty, "none"), "", "", ""},
		{home, "", "", "home"},
		{home, docker, "", "docker"},
		{"", docker, "", "docker"},
		{"", inDocker, "", "docker"},
		{"", secret, "", "secret"},
		{"", "", inSecret, "secret"},
		{home, docker, named, "named"},
		{home, filepath.Join(empty, "none"), "", ""},
		{home, "", filepath.Join(empty, "none"), ""},
	} {
		t.Setenv("HOME", c.home)
		t.Setenv("DOCKER_CONFIG", c.docker)
		t.Setenv("REGISTRY_AUTH_FILE", c.file)
		if got, err := userOf(t, "registry.example/shop:1"); got != c.want || err != nil {
			t.Errorf("HOME=%s DOCKER_CONFIG=%s REGISTRY_AUTH_FILE=%s: %q, %v; want %q", c.home, c.docker, c.file, got, err,
				c.want)
		}
	}
	t.Setenv("REGISTRY_AUTH_FILE", empty)
	if _, err := userOf(t, "registry.example/shop:1"); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

// TestCredentialsOfParts: an account for a path of a registry comes before the registry's.
func TestCredentialsOfParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "auth.json")
	text := `{"auths":{"registry.example":{"username":"all","password":"x"},
		"registry.example/team":{"username":"team","password":"x"},
		"registry.example/team/shop":{"username":"shop","password":"x"},
		"https://index.docker.io/v1/":{"username":"hub","password":"x"}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("REGISTRY_AUTH_FILE", path)
	for name, want := range map[string]string{"registry.example/team/shop:1": "shop", "registry.example/team/a/b": "team",
		"registry.example/teams": "all", "other.example/team/shop": "", "docker.io/library/shop": "hub"} {
		if got, err := userOf(t, name); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}
