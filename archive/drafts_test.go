package archive_test

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// changed returns a specimen with another number at an offset of its header.
func changed(t *testing.T, s specimen.Specimen, at int, value uint64) []byte {
	t.Helper()
	data, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(data[at:], value)
	disk.UpdateChecksum(data)
	return data
}

// TestDraftsAreOnlyConverted opens archives of draft 8, which have the layout of version 1.
func TestDraftsAreOnlyConverted(t *testing.T) {
	const versionAt, headerSize = 12, disk.HeaderSize
	for _, s := range specimen.All() {
		data := changed(t, s, versionAt, headerSize<<32|disk.Draft|8)
		_, err := archive.FromBytes("old.parc", data, archive.Options{})
		if !errors.Is(err, layout.ErrVersion) || !strings.Contains(err.Error(), "merge it into a new archive") {
			t.Errorf("%s as draft 8: %v", s.Name, err)
		}
		m, err := archive.FromBytes("old.parc", data, archive.Options{Drafts: true})
		if err != nil {
			t.Fatalf("%s as draft 8, to convert it: %v", s.Name, err)
		}
		if err := jsondump.WriteArchive(io.Discard, reader.New(m)); err != nil {
			t.Errorf("%s as draft 8: %v", s.Name, err)
		}
	}
	data := changed(t, specimen.All()[0], versionAt, headerSize<<32|disk.Draft|6)
	if _, err := archive.FromBytes("old.parc", data, archive.Options{Drafts: true}); !errors.Is(err, layout.ErrVersion) {
		t.Errorf("draft 6: %v", err)
	}
}

// TestUnknownFeatures opens archives with features that this version does not have.
func TestUnknownFeatures(t *testing.T) {
	const requiredAt, optionalAt, readOnlyAt = 40, 48, 56
	s := specimen.All()[0]
	data := changed(t, s, requiredAt, 1)
	if _, err := archive.FromBytes("", data, archive.Options{}); !errors.Is(err, layout.ErrVersion) {
		t.Errorf("a required feature: %v", err)
	}
	open := func(at int) *reader.Store {
		m, err := archive.FromBytes("", changed(t, s, at, 4), archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		store := reader.New(m)
		if err := jsondump.WriteArchive(io.Discard, store); err != nil {
			t.Error(err)
		}
		return store
	}
	to := func(s *reader.Store) error {
		b := builder.New(s.Header().Domain, builder.Config{Params: s.Header().Params})
		_, err := merge.Snapshot(t.Context(), b, s, merge.Trained)
		return err
	}
	optional, readOnly := open(optionalAt), open(readOnlyAt)
	if err := optional.Adopt(reader.AdoptOptions{}); err != nil && !errors.Is(err, errors.ErrUnsupported) { // big-endian
		t.Errorf("adopt with an optional feature: %v", err)
	}
	if err := to(optional); err != nil {
		t.Errorf("copy with an optional feature: %v", err)
	}
	for what, err := range map[string]error{"adopt": readOnly.Adopt(reader.AdoptOptions{}), "copy": to(readOnly)} {
		t.Run(what, func(t *testing.T) {
			if !errors.Is(err, layout.ErrVersion) {
				t.Errorf("%s with a read-only feature: %v", what, err)
			}
		})
	}
}
