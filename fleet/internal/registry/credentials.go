package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/profarc/profarc/internal/cli"
)

// Names of the files with credentials. A Secret of type kubernetes.io/dockerconfigjson is mounted with the second name.
const (
	dockerFile     = "config.json"
	kubernetesFile = ".dockerconfigjson"
)

// A credentialFile is the file that credentials are read from. The zero value has none.
type credentialFile struct {
	path  string
	named bool // an environment variable names it
}

// findCredentials returns the file that REGISTRY_AUTH_FILE or DOCKER_CONFIG names, or the one in the home folder.
// Containers often have neither a home nor one that they may read, and registries can be open to all.
func findCredentials() credentialFile {
	if file := os.Getenv("REGISTRY_AUTH_FILE"); file != "" {
		return credentialFile{file, true}
	}
	if folder := os.Getenv("DOCKER_CONFIG"); folder != "" {
		return credentialFile{inFolder(folder), true}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return credentialFile{}
	}
	return credentialFile{filepath.Join(home, ".docker", dockerFile), false}
}

// inFolder returns the file with credentials in a folder, or folder itself if it is a file.
func inFolder(folder string) string {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return folder
	}
	for _, name := range []string{dockerFile, kubernetesFile} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return filepath.Join(folder, name)
		}
	}
	return filepath.Join(folder, dockerFile)
}

// checkFile returns an error if the file is no ordinary file of at most cli.SmallFile bytes. The library that reads it
// checks nothing of this. exists is false if the file is missing, or is in the home folder and may not be read.
func (c credentialFile) checkFile() (exists bool, err error) {
	if c.path == "" {
		return false, nil
	}
	f, err := cli.OpenFile(c.path)
	if errors.Is(err, fs.ErrNotExist) || !c.named && errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() > cli.SmallFile {
		err = fmt.Errorf("%s: it has more than %d bytes", f.Name(), cli.SmallFile)
	}
	return err == nil, err
}

// readAccount returns the function that finds the credentials of a repository, or nil if there is no file.
func (c credentialFile) readAccount(ref registry.Reference) (auth.CredentialFunc, error) {
	exists, err := c.checkFile()
	if err != nil || !exists {
		return nil, c.explain(err)
	}
	hosts, err := credentials.NewStore(c.path, credentials.StoreOptions{})
	paths, err2 := credentials.NewFileStore(c.path)
	if err := cmp.Or(err, err2); err != nil {
		return nil, c.explain(err)
	}
	ofHost := credentials.Credential(hosts)
	return func(ctx context.Context, host string) (auth.Credential, error) {
		if host == ref.Host() {
			found, err := ofPath(ctx, paths, ref)
			if err != nil || found != auth.EmptyCredential {
				return found, err
			}
		}
		return ofHost(ctx, host)
	}, nil
}

// ofPath returns the credentials of the longest path of a repository, as podman and Kubernetes keep them for parts of a
// registry.
func ofPath(ctx context.Context, store credentials.Store, ref registry.Reference) (auth.Credential, error) {
	for name := ref.Repository; name != "."; name = path.Dir(name) {
		found, err := store.Get(ctx, ref.Registry+"/"+name)
		if err != nil || found != auth.EmptyCredential {
			return found, err
		}
	}
	return auth.EmptyCredential, nil
}

func (c credentialFile) explain(err error) error {
	if err == nil {
		return nil
	}
	return advise(err, "the registries' accounts cannot be read: %v: correct that file, or name another one in "+
		"REGISTRY_AUTH_FILE", err)
}

// advice returns what to do if a registry demands other credentials.
func (c credentialFile) advice(host string) string {
	switch exists, _ := c.checkFile(); {
	case c.path == "":
		return fmt.Sprintf("name a file with its account in REGISTRY_AUTH_FILE, as docker login %s writes one", host)
	case !exists:
		return fmt.Sprintf("run docker login %s, or name a file with its account in REGISTRY_AUTH_FILE (%s is missing)", host,
			c.path)
	}
	return fmt.Sprintf("run docker login %s, or name another file with its account in REGISTRY_AUTH_FILE (%s was read)",
		host, c.path)
}
