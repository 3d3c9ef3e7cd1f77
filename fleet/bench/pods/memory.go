//go:build linux

package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/reader"
)

// unpackVolume packs an archive as a volume, and unpacks the layer to a folder. It returns the size of the archive.
func unpackVolume(ctx context.Context, path, folder string) (size int64, err error) {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return 0, err
	}
	v, err := artifact.PackVolume(ctx, []*reader.Store{s}, folder)
	if err != nil {
		return 0, err
	}
	defer v.Close()
	z, err := gzip.NewReader(v.Reader())
	if err != nil {
		return 0, err
	}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if err == io.EOF {
			return s.Header().FileSize, nil
		}
		if err != nil {
			return 0, err
		}
		if err := writeFile(filepath.Join(folder, header.Name), r); err != nil {
			return 0, err
		}
	}
}

func writeFile(path string, from io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Sync(), f.Close())
}

// proportionalSize returns the proportional set size of a process in the mappings of a file, and in all of them.
func proportionalSize(pid int, suffix string) (ofFile, all int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		return 0, 0, err
	}
	inFile := false
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 0 && strings.Contains(words[0], "-") {
			inFile = strings.HasSuffix(strings.TrimSpace(line), suffix)
		}
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "Pss: %d kB", &kilobytes); err != nil {
			continue
		}
		all += kilobytes << 10
		if inFile {
			ofFile += kilobytes << 10
		}
	}
	if ofFile == 0 {
		return 0, 0, fmt.Errorf("process %d does not map %s", pid, suffix)
	}
	return ofFile, all, nil
}
