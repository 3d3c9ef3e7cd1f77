package reader

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// Base returns the identity of the base of this archive; ok is false if the archive is not a layer. A layer lacks
// profiles that its base has, see [OpenLayers].
func (s *Store) Base() (base layout.BaseArchive, ok bool, err error) {
	t, err := s.TableOrEmpty(disk.TableBase)
	if err != nil || t.Rows == 0 {
		return base, false, err
	}
	if t.Rows > 1 {
		start := disk.RegionOf(s.h, disk.RegionEX).Offset
		return base, false, s.corruptError(disk.RegionEX, start, "a layer on %d archives", t.Rows)
	}
	var words [disk.BaseWords]uint64
	for i := range words {
		words[i] = t.Cell(i, 0)
	}
	producer, err := t.Text(disk.BaseWords, 0)
	return disk.BaseOfRow(words, producer), err == nil, err
}

// A BaseError is the error of a layer whose base is missing or wrong. It matches [layout.ErrIdentity]. The archive can
// be used without its base, but then lacks the profiles of the base.
type BaseError struct {
	File     string // path of the layer
	BaseFile string // path of the archive given as base, or of the wanted base if it was given above the layer; may be ""
	Wants    layout.BaseArchive
	Has      layout.BaseArchive // identity of BaseFile
}

func (e *BaseError) Error() string {
	switch {
	case e.BaseFile != "" && disk.IsSameBase(e.Wants, e.Has):
		return fmt.Sprintf("%s is a layer on %s, the archive %s, and not the other way round: give %s first", e.File,
			e.BaseFile, e.Wants.ID(), e.File)
	case e.BaseFile == "":
		return fmt.Sprintf("%s is a layer on the archive %s%s: give that one too", e.File, e.Wants.ID(),
			describeBase(e.Wants))
	case e.Has.DumpID == e.Wants.DumpID:
		return fmt.Sprintf("%s is a layer on the archive %s, and %s is %s, a part of the same dump or laid out anew: give "+
			"the very file, or make the layer again",
			e.File, e.Wants.ID(), e.BaseFile, e.Has.ID())
	}
	return fmt.Sprintf("%s is a layer on the archive %s%s, and %s is %s%s: give the right base, or make the layer "+
		"again with this one",
		e.File, e.Wants.ID(), describeBase(e.Wants), e.BaseFile, e.Has.ID(), describeBase(e.Has))
}

// Unwrap returns layout.ErrIdentity.
func (e *BaseError) Unwrap() error { return layout.ErrIdentity }

func describeBase(b layout.BaseArchive) (text string) {
	if b.Producer != "" {
		text = fmt.Sprintf(" of %q", b.Producer)
	}
	if !b.Time.IsZero() {
		text += b.Time.UTC().Format(" (2006-01-02 15:04:05 UTC)")
	}
	return text
}

// checkBase returns an error unless s can be a layer on base; base is nil for no archive. An archive that was not made
// as a layer can be put on any archive of the same domain and producer.
func (s *Store) checkBase(base *Store) error {
	wants, layer, err := s.Base()
	if err != nil {
		return err
	}
	if base == nil {
		if layer {
			return &BaseError{File: s.m.Name(), Wants: wants}
		}
		return nil
	}
	if has := base.h.AsBase(); layer && !disk.IsSameBase(wants, has) {
		return &BaseError{File: s.m.Name(), BaseFile: base.m.Name(), Wants: wants, Has: has}
	}
	if s.h.Domain != base.h.Domain || s.h.ProducerID != base.h.ProducerID {
		return fmt.Errorf("%w: %s has profiles of %s, %s of %s", layout.ErrIdentity, s.m.Name(), s.h.Domain, base.m.Name(),
			base.h.Domain)
	}
	return nil
}

// errNoLayers is the error of a stack without archives.
var errNoLayers = errors.New("reader: layers without an archive")
