package reader

import (
	"errors"
	"iter"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
)

// The sentinels of look-ups.
var (
	// ErrNotFound: the archive has no such record. A sound archive that does
	// not hold the key gives this, a damaged one never does.
	ErrNotFound = errors.New("not in the archive")
	// ErrAmbiguous: several records fit; say more.
	ErrAmbiguous = errors.New("several records fit")
	// ErrNotAdopted: a live value was to be written, and the profile was not
	// adopted.
	ErrNotAdopted = errors.New("profile is not adopted")
)

// A Store is an open archive. It is safe for concurrent use.
type Store struct{}

// Open opens the archive at path.
func Open(path string, o archive.Options) (*Store, error) { return nil, nil }

// New makes a Store of a mapping, which it then owns.
func New(m *archive.Mapping) *Store { return nil }

// Mapping is the archive itself.
func (s *Store) Mapping() *archive.Mapping { return nil }

// Header is the decoded header. It must not be changed.
func (s *Store) Header() *layout.Header { return nil }

// Close closes the archive; see the package comment.
func (s *Store) Close() error { return nil }

// Find looks a method up by its key. It allocates nothing. The error matches
// ErrNotFound if there is none.
func (s *Store) Find(k layout.Key) (Method, error) { return Method{}, nil }

// Lookup looks a method up by its id (layout.Key.ID). It allocates nothing.
// The error matches ErrNotFound, or ErrAmbiguous if two keys of the archive
// have this id: then only Find can tell them apart.
func (s *Store) Lookup(id uint64) (Method, error) { return Method{}, nil }

// LookupBatch looks many ids up, into found, which must be as long. What is
// not found, or ambiguous, is the zero Method there. The error is any other.
func (s *Store) LookupBatch(ids []uint64, found []Method) (hits int, err error) { return 0, nil }

// FindType looks a type up by name and loader.
func (s *Store) FindType(name, loader string) (Type, error) { return Type{}, nil }

// Type is the type with that ordinal; the ordinals of an archive are 0 to
// Header().Counts.Types-1, those of late types follow.
func (s *Store) Type(ordinal uint32) (Type, error) { return Type{}, nil }

// Methods goes through all methods, in the order of their keys.
func (s *Store) Methods() iter.Seq2[Method, error] { return nil }

// Types goes through all types of the archive, in the order of their names.
func (s *Store) Types() iter.Seq2[Type, error] { return nil }

// Tables goes through the tables of ex, in the order of their kinds.
func (s *Store) Tables() iter.Seq2[layout.Table, error] { return nil }

// Table gives one table of ex; the error matches ErrNotFound if there is none.
func (s *Store) Table(kind layout.TableKind) (layout.Table, error) { return layout.Table{}, nil }

// What the reference columns of tables lead to. 0 gives an error that matches
// ErrNotFound.

func (s *Store) SymbolAt(n layout.Narrow) (Name, error)     { return Name{}, nil }
func (s *Store) TypeAt(n layout.Narrow) (Type, error)       { return Type{}, nil }
func (s *Store) MethodAt(n layout.Narrow) (Method, error)   { return Method{}, nil }
func (s *Store) ProfileAt(n layout.Narrow) (Profile, error) { return Profile{}, nil }
func (s *Store) ContextAt(n layout.Narrow) (Context, error) { return Context{}, nil }
