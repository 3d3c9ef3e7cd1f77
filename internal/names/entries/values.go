package entries

import (
	"context"
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Values finds the functions and vtables behind the values of LLVM's value sites.
type Values struct {
	store   *reader.Store
	vtables map[uint64]string
}

// NewValues reads the names of vtables. Functions are looked up on demand.
func NewValues(s *reader.Store) (*Values, error) {
	t, err := s.TableOrEmpty(disk.TableVTables)
	v := &Values{s, make(map[uint64]string, t.Rows)}
	for row := 0; err == nil && row < t.Rows; row++ {
		if t.Cell(0, row) == 0 {
			continue
		}
		var name string
		name, err = t.Text(0, row)
		id := disk.NameRef(name)
		v.vtables[id] = max(v.vtables[id], name)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (v *Values) Function(id uint64) (m reader.Method, ok bool, err error) {
	m, err = v.store.FindID(id)
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		return reader.Method{}, false, nil
	}
	return m, err == nil, err
}

func (v *Values) VTable(id uint64) (name string, ok bool) {
	name, ok = v.vtables[id]
	return name, ok
}

// Targets names functions and vtables at value sites. The zero Targets reads the names of the store on first use.
type Targets struct{ values *Values }

// Find returns the name of the function or vtable with an id, or the id if the archive has no name. m is the function,
// invalid if the archive lacks it.
func (t *Targets) Find(s *reader.Store, sub layout.Sub, id uint64) (text string, m reader.Method, err error) {
	text = fmt.Sprintf("id %016x", id)
	if t.values == nil {
		t.values, err = NewValues(s)
		if err != nil {
			return text, m, err
		}
	}
	if sub == layout.SubVTable {
		if name, ok := t.values.VTable(id); ok {
			return escape.Printable(name), m, nil
		}
	} else if m, ok, _ := t.values.Function(id); ok {
		if name, err := m.Name(); err == nil {
			return escape.Printable(name.String()), m, nil
		}
	}
	if id == 0 {
		return "not known", m, nil
	}
	return text, m, nil
}

// Properties returns the properties of an archive, each with its values in order.
func Properties(s *reader.Store) (map[string][]string, error) { return Texts(s, disk.TableProperties) }

// Texts returns the rows of a table of keys and values, each key with its values in order.
func Texts(s *reader.Store, table disk.TableKind) (map[string][]string, error) {
	t, err := s.TableOrEmpty(table)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for row := range t.Rows {
		key, keyErr := t.Text(0, row)
		value, valueErr := t.Text(1, row)
		if err := errors.Join(keyErr, valueErr); err != nil {
			return nil, err
		}
		all[key] = append(all[key], value)
	}
	return all, nil
}

// EachMethod calls visit with each method and its key. It returns the first error, which is that of a damaged record,
// of visit or of the context.
func EachMethod(ctx context.Context, s *reader.Store, visit func(reader.Method, layout.Key) error) error {
	return poll.Each(poll.New(ctx), s.Methods(), func(m reader.Method) error {
		k, err := m.Key()
		if err != nil {
			return err
		}
		return visit(m, k)
	})
}

// PropertyBuildID is the property with the build id of a profiled program.
const PropertyBuildID = "pprof.build_id"

// SampleTypes returns the types of the values of a sampled archive.
func SampleTypes(s *reader.Store) (none disk.SampleTypes, err error) {
	t, err := s.TableOrEmpty(disk.TableProperties)
	if err != nil {
		return none, err
	}
	return disk.SampleTypesOf(t.Rows, t.Text)
}

// CheckSampleTypes returns an error if two archives have samples of different types.
func CheckSampleTypes(a, b *reader.Store) error {
	x, errA := SampleTypes(a)
	y, errB := SampleTypes(b)
	if _, ok := x.Join(y); ok || x == y || errA != nil || errB != nil {
		return errors.Join(errA, errB)
	}
	return fmt.Errorf("%s has values of type %s, %s of %s", a.Mapping().Name(), x, b.Mapping().Name(), y)
}
