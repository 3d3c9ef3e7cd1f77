package reader

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"runtime"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Layers is a stack of archives that acts as one in lookups. The archive of an application comes first, followed by
// the archives it was trained on top of, for example of a framework and of the JDK. It is safe for concurrent use.
//
// The first layer with a profile of a version of a method's code, in any context, answers all lookups of that version.
// Counts of layers are never added, because a profile is adopted where it is stored. A layer has a profile only if its
// base lacks it or differs, so that the profile of the layer is the better one. For layout.CodeAny the first layer with
// any profile of the method answers.
//
// Methods, profiles and types belong to their layers, see [Profile.Store].
type Layers struct {
	stores []*Store // topmost first; none in the zero Layers, which finds nothing
}

// OpenLayers opens archives as layers, the topmost first. Each must be the archive that the layer above names as its
// base. Otherwise the error is a *BaseError, which matches layout.ErrIdentity. An archive that names no base can be on
// top of any archive of the same domain. The lowest one must not name a base.
//
// The fingerprint and the program in o.Expect apply to the topmost archive only.
func OpenLayers(o archive.Options, paths ...string) (*Layers, error) {
	var stores []*Store
	for _, path := range paths {
		s, err := Open(path, o)
		if err != nil {
			return nil, errors.Join(err, closeAll(stores))
		}
		stores = append(stores, s)
		o.Expect.Fingerprint = [16]byte{}
		o.Expect.Program = nil
	}
	l, err := NewLayers(stores...)
	if err != nil {
		if o.OnReject != nil {
			o.OnReject(err)
		}
		return nil, errors.Join(err, closeAll(stores))
	}
	return l, nil
}

// NewLayers is OpenLayers for open archives, the topmost first. On success Layers.Close closes them.
func NewLayers(stores ...*Store) (*Layers, error) {
	if len(stores) == 0 {
		return nil, errNoLayers
	}
	for i, s := range stores {
		var beneath *Store
		if i+1 < len(stores) {
			beneath = stores[i+1]
		}
		if err := s.checkBase(beneath); err != nil {
			return nil, nameMisplacedBase(err, stores[:i])
		}
	}
	return &Layers{stores: stores[:len(stores):len(stores)]}, nil
}

func nameMisplacedBase(err error, above []*Store) error {
	wrong := new(BaseError)
	if !errors.As(err, &wrong) || wrong.BaseFile != "" {
		return err
	}
	for _, s := range above {
		if has := s.h.AsBase(); disk.IsSameBase(wrong.Wants, has) {
			wrong.BaseFile = s.m.Name()
			wrong.Has = has
		}
	}
	return err
}

// Stores returns the archives, the topmost first. The slice must not be modified.
func (l *Layers) Stores() []*Store { return l.stores }

// Close closes all archives.
func (l *Layers) Close() error { return closeAll(l.stores) }

func closeAll(stores []*Store) (err error) {
	for _, s := range stores {
		err = errors.Join(err, s.Close())
	}
	return err
}

// Store returns the archive that the profile belongs to.
func (p Profile) Store() *Store { return p.s }

// Store returns the archive that the method belongs to.
func (m Method) Store() *Store { return m.s }

// Profile is [Store.Profile] in the layer that answers for the version. It does not allocate.
func (l *Layers) Profile(k layout.Key, code uint64) (Profile, error) {
	if len(l.stores) == 0 {
		return Profile{}, ErrNotFound
	}
	id := k.ID(l.stores[0].h.Domain)
	for _, s := range l.stores {
		p, err := s.findProfile(id, &k, code)
		if err == nil || !s.leavesToBase(id, &k, code, &err) {
			return p, err
		}
	}
	return Profile{}, ErrNotFound
}

// ProfileID is [Store.ProfileID] in the layer that answers for the version. It does not allocate.
func (l *Layers) ProfileID(id, code uint64) (Profile, error) {
	for _, s := range l.stores {
		p, err := s.ProfileID(id, code)
		if err == nil || !s.leavesToBase(id, nil, code, &err) {
			return p, err
		}
	}
	return Profile{}, ErrNotFound
}

// leavesToBase reports whether the base should answer after a lookup that failed with *err. It is false if the layer
// has a profile of the version in a context. It can replace *err.
func (s *Store) leavesToBase(id uint64, k *layout.Key, code uint64, err *error) bool {
	if *err != ErrNotFound || s.h.Counts.Contexts == 0 {
		return *err == ErrNotFound
	}
	var m Method
	if k != nil {
		m, *err = s.findMethod(id, k)
	} else {
		m, *err = s.FindID(id)
	}
	if *err != nil {
		return *err == ErrNotFound
	}
	return m.leavesToBase(code, err)
}

func (m Method) leavesToBase(code uint64, err *error) bool {
	if *err != ErrNotFound && *err != nil {
		return false
	}
	has, damage := m.hasVersion(code)
	*err = ErrNotFound
	if damage != nil {
		*err = damage
	}
	return !has && damage == nil
}

// hasVersion reports whether the method has a profile of the given version in any context. layout.CodeAny matches any
// version.
func (m Method) hasVersion(code uint64) (bool, error) {
	has, err := m.hasVersionInContext(m.firstProfile(), 0, code)
	if has || err != nil || m.head.Flags()&disk.MethodInContext == 0 {
		return has, err
	}
	t, err := m.contextTrie()
	for i := int64(0); err == nil && i < t.n; i++ {
		node, damage := t.readNode(i)
		if damage != nil {
			return false, damage
		}
		if has, err := m.hasVersionInContext(node.Profiles, t.nodeRef(i), code); has || err != nil {
			return has, err
		}
	}
	return false, err
}

func (m Method) hasVersionInContext(first, context layout.Ref, code uint64) (bool, error) {
	if first == 0 || code == layout.CodeAny {
		return first != 0, nil
	}
	c := m.profileChain(first, context)
	var p Profile
	err := c.findVersion(code, &p)
	if err == ErrNotFound {
		return false, nil
	}
	return err == nil, err
}

// Find looks up a method by key in the first layer with a profile of it, or else in the first layer with the method.
// It does not allocate. The error matches ErrNotFound if no layer has the method.
func (l *Layers) Find(k layout.Key) (Method, error) {
	if len(l.stores) == 0 {
		return Method{}, ErrNotFound
	}
	id := k.ID(l.stores[0].h.Domain)
	return l.firstProfiled(func(s *Store) (Method, error) { return s.findMethod(id, &k) })
}

// FindID is like Find for the id of a method. As in [Store.FindID], the error can also match ErrAmbiguous.
func (l *Layers) FindID(id uint64) (Method, error) {
	return l.firstProfiled(func(s *Store) (Method, error) { return s.FindID(id) })
}

func (l *Layers) firstProfiled(look func(*Store) (Method, error)) (first Method, err error) {
	for _, s := range l.stores {
		m, err := look(s)
		if errors.Is(err, ErrNotFound) {
			continue
		} else if err != nil {
			return Method{}, err
		}
		if profiled, err := m.hasVersion(layout.CodeAny); profiled || err != nil {
			return m, err
		}
		if !first.Valid() {
			first = m
		}
	}
	if !first.Valid() {
		return Method{}, ErrNotFound
	}
	return first, nil
}

// ProfileOf is [Method.Profile] in the layer that answers for the version. The method and the callers can belong to
// any layer. It allocates only for more than 32 frames, and for signatures that the archives store as lists.
func (l *Layers) ProfileOf(m Method, code uint64, frames ...Frame) (p Profile, depth int, err error) {
	for _, s := range l.stores {
		var translated [32]Frame
		own, err := s.counterpart(m)
		if err == nil {
			var callers []Frame
			callers, err = s.translateFrames(translated[:0], frames)
			if err == nil {
				p, depth, err = own.Profile(code, callers...)
			}
		}
		if err == nil || !own.leavesToBase(code, &err) {
			return p, depth, err
		}
	}
	return Profile{}, 0, ErrNotFound
}

// translateFrames appends the frames to own with the callers of this archive. It stops at the first caller that the
// archive lacks, because no context leads further.
func (s *Store) translateFrames(own, frames []Frame) ([]Frame, error) {
	for _, f := range frames {
		caller, err := s.counterpart(f.Caller)
		if errors.Is(err, ErrNotFound) {
			break
		} else if err != nil {
			return nil, err
		}
		own = append(own, Frame{caller, f.Point})
	}
	return own, nil
}

// counterpart returns the method of this archive with the key of m, which can belong to another archive. It copies the
// key only if one of the methods is a row.
func (s *Store) counterpart(m Method) (Method, error) {
	if m.s == nil {
		return m, ErrNotFound
	}
	if m.s == s {
		return m, nil
	}
	if m.isRow() {
		return s.findByKeyOf(m)
	}
	id, err := m.indexedID()
	if err != nil {
		return Method{}, err
	}
	for q := s.searchIndex(id, disk.KindMethod); ; {
		n, err := q.nextMethod(id)
		if err == ErrNotFound && (s.h.Parts[disk.PartUnexecuted].Size > 0 || s.h.Required&disk.FeatureCrowded != 0) {
			return s.findByKeyOf(m)
		} else if err != nil {
			return Method{}, err
		}
		if same, err := n.hasSameKey(m); same || err != nil {
			return n, err
		}
	}
}

func (s *Store) findByKeyOf(m Method) (Method, error) {
	k, err := m.Key()
	if err != nil {
		return Method{}, err
	}
	return s.Find(k)
}

func (m Method) hasSameKey(n Method) (bool, error) {
	a := m.readRecord()
	b := n.readRecord()
	if same, err := equalNames(m.Name, n.Name); !same || err != nil {
		return false, err
	}
	if same, err := equalNames(m.Signature, n.Signature); !same || err != nil {
		return false, err
	}
	if a.Holder == 0 || b.Holder == 0 {
		return a.Holder == b.Holder, nil
	}
	s, t := m.s.typeOfRecord(a.Holder), n.s.typeOfRecord(b.Holder)
	if same, err := equalNames(s.Name, t.Name); !same || err != nil {
		return false, err
	}
	return equalNames(s.Loader, t.Loader)
}

func equalNames(x, y func() (Name, error)) (bool, error) {
	a, err := x()
	if err != nil {
		return false, err
	}
	b, err := y()
	same := bytes.Equal(a.text, b.text)
	runtime.KeepAlive(a.s)
	runtime.KeepAlive(b.s)
	return same, err
}

// Methods iterates over the methods of all layers. It yields each method once, as Find returns it. Methods of the
// topmost layer come first, and each layer is in the order of its keys. An error ends the iteration.
func (l *Layers) Methods() iter.Seq2[Method, error] {
	return func(yield func(Method, error) bool) {
		for _, s := range l.stores {
			for m, err := range s.Methods() {
				answers := false
				if err == nil {
					answers, err = l.isFoundAs(m)
				}
				if err != nil {
					yield(Method{}, err)
					return
				}
				if answers && !yield(m, nil) {
					return
				}
			}
		}
	}
}

func (l *Layers) isFoundAs(m Method) (bool, error) {
	found, err := l.firstProfiled(func(s *Store) (Method, error) { return s.counterpart(m) })
	return found.s == m.s, err
}

// Adopt adopts all archives like [Store.Adopt]. An error names the archive that failed; those before it are adopted.
func (l *Layers) Adopt(o AdoptOptions) error {
	for _, s := range l.stores {
		if err := s.Adopt(o); err != nil {
			return err
		}
	}
	return nil
}

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

var errNoLayers = errors.New("reader: layers without an archive")
