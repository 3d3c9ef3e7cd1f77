package sample

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An extractor makes a profile of an archive.
type extractor struct {
	profile *Profile
	wide    locations
	names   map[layout.Ref]string
	places  map[place]*Function   // functions without checksum
	lines   []Line                // memory for the next profile
	first   map[layout.Ref]uint64 // times of first samples by profile
}

// A place is where a function is called, or the top of a profile.
type place struct {
	caller *Function // nil for the top
	Location
	name string
}

// extract returns the profile in an archive. It adds counts that the profile cannot have to lost.
func extract(s *reader.Store, lost *codec.Losses) (*Profile, error) {
	x := extractor{profile: &Profile{}, names: map[layout.Ref]string{}, places: map[place]*Function{},
		first: map[layout.Ref]uint64{}}
	properties, err := entries.Properties(s)
	if err != nil {
		return nil, err
	}
	if err := x.setKind(s, properties); err != nil {
		return nil, err
	}
	if x.wide, x.profile.Symbols, err = foreignRows(s); err != nil {
		return nil, err
	}
	if err := x.readFilesAndTimes(s, lost); err != nil {
		return nil, disk.WithFileName(err, s.Mapping().Name())
	}
	for p, err := range s.Profiles() {
		if err == nil {
			err = x.addProfile(p)
		}
		if err != nil {
			return nil, disk.WithFileName(err, s.Mapping().Name())
		}
	}
	err = x.readOrder(s)
	x.nameGUIDs()
	x.profile.sort()
	x.profile.addLossesTo(lost)
	return x.profile, err
}

// readOrder sets the ranking of the profile, if the archive has it for all names.
func (x *extractor) readOrder(s *reader.Store) error {
	t, err := s.TableOrEmpty(disk.TableOrder)
	if err != nil || t.Columns() != 1 || t.Column(0) != disk.ColumnMethod {
		return err
	}
	places := ranking{}
	for row := range t.Rows {
		places[x.names[layout.Ref(t.Cell(0, row))]] = row
	}
	for _, name := range x.names {
		if _, ok := places[name]; !ok {
			return nil
		}
	}
	x.profile.ranking = places
	return nil
}

// nameGUIDs gives functions that are known by their GUIDs the names that the archive has for them. An archive has both
// if a profile of GUIDs was merged with one of names.
func (x *extractor) nameGUIDs() {
	named := map[string]string{}
	for _, name := range x.names {
		if isGUID(name) {
			named[name] = name
		}
	}
	if len(named) == 0 || len(named) == len(x.names) {
		return
	}
	for _, name := range x.names {
		if !isGUID(name) {
			named[nameOfGUID(GUID(name))] = name
		}
	}
	for _, f := range x.profile.Functions {
		f.eachNameAt(func(name *string) { *name = cmp.Or(named[*name], *name) })
	}
}

// readFilesAndTimes reads the source files of functions and the times of their first samples. GCC compares only the
// last part of a file's path. A function with several files gets none, so that GCC takes its counts for any function of
// its name.
func (x *extractor) readFilesAndTimes(s *reader.Store, lost *codec.Losses) error {
	times, err := s.TableOrEmpty(disk.TableAdvice)
	if err != nil {
		return err
	}
	for row := range times.Rows {
		x.first[layout.Ref(times.Cell(0, row))] = times.Cell(1, row)
	}
	t, err := s.TableOrEmpty(disk.TableFunctions)
	if err != nil {
		return err
	}
	files := map[string]string{}
	several := map[string]bool{}
	for row := range t.Rows {
		name, err := x.nameOf(s.MethodAt(layout.Ref(t.Cell(0, row))))
		if err != nil {
			return err
		}
		file, err := t.Text(2, row)
		if err != nil {
			return err
		}
		if other, ok := files[name]; ok && path.Base(other) != path.Base(file) {
			several[name] = true
			lost.AddLoss(codec.Loss{What: LossFiles, Count: 1, First: []string{other}})
		}
		files[name] = file
	}
	maps.DeleteFunc(files, func(name, _ string) bool { return several[name] })
	x.profile.Files = files
	return nil
}

func (x *extractor) setKind(s *reader.Store, properties map[string][]string) error {
	kinds := properties[PropertyKind]
	if len(kinds) == 0 {
		return fmt.Errorf("%s: the archive has no sample profile of LLVM (domain %s): import one", s.Mapping().Name(),
			s.Header().Domain)
	}
	kinds = slices.Compact(slices.Sorted(slices.Values(kinds)))
	if len(kinds) > 1 {
		return fmt.Errorf("%s: the archive has sample profiles of several kinds (%s): merge archives of one kind",
			s.Mapping().Name(), strings.Join(kinds, ", "))
	}
	p := x.profile
	p.Calling = strings.HasPrefix(kinds[0], "calling")
	p.Probes = strings.HasSuffix(kinds[0], "probes")
	flags := p.flags()
	for _, name := range properties[PropertyFlag] {
		if flag := flags[name]; flag != nil {
			*flag = true
		}
	}
	return nil
}

// nameOf returns the name of a method that a reader has returned with an error.
func (x *extractor) nameOf(m reader.Method, err error) (string, error) {
	if err != nil {
		return "", err
	}
	name, ok := x.names[m.Ref()]
	if !ok {
		n, err := m.Name()
		if err != nil {
			return "", err
		}
		name = n.String()
		x.names[m.Ref()] = name
	}
	return name, nil
}

// addProfile adds a profile of the archive.
func (x *extractor) addProfile(p reader.Profile) error {
	name, err := x.nameOf(p.Method())
	if err != nil {
		return err
	}
	callers, err := x.callersOf(p)
	if err != nil {
		return err
	}
	f := &Function{Name: name, Checksum: p.Code()}
	if x.profile.Calling {
		f.Context = callers
		callers = nil
	}
	at := place{}
	for _, frame := range callers {
		at = place{x.functionAt(at, frame.Name), frame.Location, ""}
	}
	if f.Checksum == 0 && !x.profile.Calling {
		f = x.functionAt(at, name)
	} else {
		x.attach(f, at)
	}
	if head, ok := p.Invocations(); ok {
		f.Head = head.Trained()
	}
	f.First = x.first[p.Ref()]
	f.Lines = x.lines[:0]
	for e := range p.Entries() {
		if err := x.addEntry(f, e); err != nil {
			return err
		}
	}
	x.lines = f.Lines
	f.Lines = slices.Clone(f.Lines)
	return nil
}

// functionAt returns the function with a name at a place.
func (x *extractor) functionAt(at place, name string) *Function {
	at.name = name
	f, ok := x.places[at]
	if !ok {
		f = &Function{Name: name}
		x.places[at] = f
		x.attach(f, at)
	}
	return f
}

func (x *extractor) attach(f *Function, at place) {
	if at.caller == nil {
		x.profile.Functions = append(x.profile.Functions, f)
	} else {
		at.caller.Calls = append(at.caller.Calls, Call{at.Location, f})
	}
}

// callersOf returns the calling context of a profile, the outermost caller first.
func (x *extractor) callersOf(p reader.Profile) (callers []Frame, err error) {
	c, ok, err := p.Context()
	if !ok || err != nil {
		return nil, err
	}
	frames, err := c.Frames()
	if err != nil {
		return nil, err
	}
	for _, frame := range slices.Backward(frames) {
		name, err := x.nameOf(frame.Caller, nil)
		if err != nil {
			return nil, err
		}
		callers = append(callers, Frame{name, x.wide.locationOf(name, frame.Point)})
	}
	return callers, nil
}

func (x *extractor) addEntry(f *Function, e reader.Entry) error {
	at := x.wide.locationOf(f.Name, e.Point())
	switch {
	case e.Tag() == layout.TagCount && e.Sub() == disk.SubTotal:
		f.Total = e.Cell(0).Trained()
		f.Attributes = uint64(e.Flags() >> attributeShift)
	case e.Tag() == layout.TagCount && e.Sub() == layout.SubSamples:
		f.Lines = append(f.Lines, Line{Location: at, Samples: e.Cell(0).Trained()})
	case e.Tag() == layout.TagCallees:
		return x.addCallees(f, at, e)
	}
	return nil
}

func (x *extractor) addCallees(f *Function, at Location, e reader.Entry) error {
	rows, ok := e.Rows()
	if !ok {
		return nil
	}
	n := len(f.Lines)
	if n == 0 || f.Lines[n-1].Location != at {
		f.Lines = append(f.Lines, Line{Location: at})
		n++
	}
	targets := make([]Target, 0, rows.Len())
	for i := range rows.Len() {
		name, err := x.nameOf(rows.Method(i))
		if err != nil {
			return err
		}
		targets = append(targets, Target{name, rows.Cell(i, 1).Trained()})
	}
	f.Lines[n-1].Targets = targets
	return nil
}
