package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/ci/licences"
)

// settings are the environment variables that affect the output of a build.
var settings = []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=",
	"GOFIPS140=off", "GODEBUG="}

// flags returns the arguments of a build. The output does not depend on time and folder. The version must be set
// explicitly, since copies of the source can lack the tag.
func (r *release) flags() []string {
	return []string{"-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -X github.com/profarc/profarc/internal/cli.released=" + r.Version}
}

type built struct {
	name   string // file name
	sha256 string
	info   *buildinfo.BuildInfo
}

// buildAll builds all programs for all targets, and writes their bills of materials.
func (r *release) buildAll(ctx context.Context) (all []built, err error) {
	for _, target := range r.Targets {
		for _, p := range licences.Programs {
			b, err := r.buildProgram(ctx, p, target)
			if err != nil {
				return nil, fmt.Errorf("%s for %s: %w", p.Name, target, err)
			}
			if err := r.writeContents(p, b); err != nil {
				return nil, err
			}
			all = append(all, b)
		}
	}
	return all, nil
}

func (r *release) buildProgram(ctx context.Context, p licences.Program, target string) (b built, err error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return b, errors.New("a target is named as linux/amd64")
	}
	b.name = fmt.Sprintf("%s-%s-%s-%s", p.Name, r.Version, system, processor)
	if system == "windows" {
		b.name += ".exe"
	}
	path, err := filepath.Abs(filepath.Join(r.folder, b.name))
	if err != nil {
		return b, err
	}
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, r.flags(), []string{"-o", path, p.Package})...)
	cmd.Dir = p.Folder
	cmd.Env = append(append(os.Environ(), settings...), "GOOS="+system, "GOARCH="+processor)
	if out, err := cmd.CombinedOutput(); err != nil {
		return b, fmt.Errorf("%w: %s", err, out)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	b.sha256 = checksumOf(data)
	b.info, err = buildinfo.Read(bytes.NewReader(data))
	if err == nil && r.goVersion != "" && r.goVersion != b.info.GoVersion {
		err = fmt.Errorf("built by %s, and others by %s", b.info.GoVersion, r.goVersion)
	}
	if err == nil {
		r.goVersion = b.info.GoVersion
	}
	return b, err
}

func checksumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// writeSums writes the checksums of all files in a folder in the format of sha256sum.
func writeSums(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", checksumOf(data), f.Name())
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), sums.Bytes(), 0o666)
}
