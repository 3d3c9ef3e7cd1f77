package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/classfile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// WriteOptions say which file is written.
type WriteOptions struct {
	// Method is the method to be compiled.
	Method layout.Key
	// ClassPath has the directories and jars of class files and, for a JDK's own classes,
	// its home or its file lib/modules. The replaying VM must load the same class files.
	ClassPath []string
}

// A writer gathers the records for the compilation of one method.
type writer struct {
	recording // to be written
	store     *reader.Store
	shape     disk.Shape
	path      *classfile.Path
	report    *Report

	names     classNames
	loader    string             // of the method to be compiled
	recorded  map[string]bool    // by class: whether it has a record, or false if it cannot
	records   []*classRecord     // of classes that are not in the environment
	methodSet map[methodKey]bool // methods with a ciMethod line
	kept      map[methodKey]bool // methods of methodSet in the environment
	profiles  []pending          // written when all classes are known
	profiled  map[methodKey]bool // methods of profiles
	inlineSet map[inlining]bool
}

// A pending is a profile that is written once all class records are known.
type pending struct {
	methodKey
	reader.Profile
}

// Write writes a replay file for the compilation of one method by C2, for
//
//	java -XX:+UnlockDiagnosticVMOptions -XX:+ReplayCompiles -XX:ReplayDataFile=FILE
//	    -XX:+ReplayIgnoreInitErrors -cp CLASSPATH
//
// of JDK 25. The file has the method data of the method and of all methods that it may
// inline, and the records of all classes and methods in them. If the archive was made
// from a replay file, the file has the records of that one too, and needs no class path
// if the method is the one that was compiled there.
//
// The error matches ErrMethod, ErrClass or ErrShape if no such file can be made.
func Write(out io.Writer, s *reader.Store, o WriteOptions) (*Report, error) {
	if d := s.Header().Domain; d != layout.DomainHotSpot {
		return nil, fmt.Errorf("profiles of domain %s cannot be replayed by HotSpot: export them in the format of their own domain", d)
	}
	path, err := classfile.Open(o.ClassPath, int(s.Header().Params.VMRelease))
	if err != nil {
		return nil, err
	}
	defer path.Close()
	w := &writer{
		store: s, shape: s.Mapping().Shape(), path: path, report: &Report{Params: s.Header().Params},
		recorded: map[string]bool{}, methodSet: map[methodKey]bool{}, kept: map[methodKey]bool{}, profiled: map[methodKey]bool{}, inlineSet: map[inlining]bool{},
	}
	if err := s.Mapping().Guard(func() error { return w.gather(o.Method) }); err != nil {
		return nil, err
	}
	w.report.Version, w.report.Methods, w.report.Classes, w.report.Inlines = w.version, len(w.data), w.classes(), len(w.compile.inlines)
	return w.report, w.printFile(out)
}

// gather gathers the records of the file.
func (w *writer) gather(key layout.Key) error {
	w.loader = key.Loader
	class, err := w.startRecording(key)
	if err != nil {
		return err
	}
	root := methodKey{class, key.Name, key.Signature}
	if _, ok, err := w.profileOf(root); !ok {
		return cmp.Or(err, fmt.Errorf("%w: %s.%s%s", ErrMethod, key.Class, key.Name, key.Signature))
	}
	if err := w.compileMethod(root); err != nil {
		return err
	}
	for i := 0; i < len(w.profiles); i++ { // a trap may add one
		if err := w.methodData(w.profiles[i]); err != nil {
			return err
		}
	}
	for _, r := range w.records {
		w.klasses = append(w.klasses, w.klassRecord(r))
	}
	return nil
}

// startRecording begins with the environment of the archive. class is the name of the
// method's class in the file.
func (w *writer) startRecording(key layout.Key) (class string, err error) {
	w.capabilities = []capability{{"can_access_local_variables", false}, {"can_hotswap_or_post_breakpoint", false}, {"can_post_on_exceptions", false}}
	w.version = maxVersion
	if w.names, err = readNames(w.store); err != nil {
		return "", err
	}
	env, ok, err := environment(w.store, func(r *recording) bool {
		k := r.compile.methodKey
		return k.name == key.Name && k.signature == key.Signature && w.names.with(r).archive(k.class) == key.Class
	})
	switch {
	case err != nil:
		return "", err
	case ok:
		w.names = w.names.with(env)
		w.takeOver(env)
	case w.shape.Gap != 0:
		return "", ErrShape
	}
	return w.names.file(key.Class), nil
}

// takeOver takes the records of an environment, without those that no VM can read back.
func (w *writer) takeOver(env *recording) {
	w.recording = *env
	w.klasses = nil
	for _, k := range env.klasses {
		if k.kind == kindField && !readableValue(k.value) {
			w.report.Lost.Add(LossField, 1)
			continue
		}
		if k.kind == kindKlass {
			w.recorded[k.name] = true
		}
		w.klasses = append(w.klasses, k)
	}
	for _, m := range env.methods {
		w.methodSet[m.methodKey], w.kept[m.methodKey] = true, true
	}
	for _, i := range env.compile.inlines {
		w.inlineSet[i] = true
	}
}

// profileOf finds the profile of a method of the file, without a calling context. The
// loader of its class may be that of the method to be compiled, or the boot loader.
func (w *writer) profileOf(k methodKey) (p reader.Profile, ok bool, err error) {
	for _, loader := range []string{w.loader, ""} {
		m, err := w.store.Find(layout.Key{Class: w.names.archive(k.class), Name: k.name, Signature: k.signature, Loader: loader})
		if errors.Is(err, reader.ErrNotFound) {
			continue
		}
		if err != nil {
			return p, false, err
		}
		if p, ok, err = withoutContext(m); ok || err != nil {
			return p, ok, err
		}
	}
	return p, false, nil
}

// withoutContext returns the first profile of a method without a context.
func withoutContext(m reader.Method) (reader.Profile, bool, error) {
	for p, err := range m.Profiles() {
		if err != nil {
			return reader.Profile{}, false, err
		}
		if _, split, err := p.Context(); err != nil || !split {
			return p, err == nil, err
		}
	}
	return reader.Profile{}, false, nil
}

// classNames translates the names of hidden classes, which differ in a replay file, in
// the VM and in an archive:
//
//	@bci Main main ([Ljava/lang/String;)V 160 <appendix> member <vmtarget> ;
//	Main$$Lambda+0x0000000016040c90
//	Main$$Lambda@Main#0
type classNames struct {
	fromFile, toFile       map[string]string // between reference and VM's name
	fromArchive, toArchive map[string]string // between archive's name and VM's name
}

// readNames reads the aliases of the types of an archive.
func readNames(s *reader.Store) (classNames, error) {
	n := classNames{fromArchive: map[string]string{}, toArchive: map[string]string{}}
	for i := range s.Header().Counts.Types {
		t, err := s.Type(uint32(i))
		if err != nil {
			return n, err
		}
		alias, err := t.Alias()
		if err != nil {
			return n, err
		}
		if alias.Len() == 0 {
			continue
		}
		name, err := t.Name()
		if err != nil {
			return n, err
		}
		n.fromArchive[name.String()], n.toArchive[alias.String()] = alias.String(), name.String()
	}
	return n, nil
}

// with returns names with the references of a recording.
func (n classNames) with(r *recording) classNames {
	n.fromFile, n.toFile = r.references(), map[string]string{}
	for reference, name := range n.fromFile {
		n.toFile[name] = reference
	}
	return n
}

// file returns the name in a file of a class of the archive.
func (n classNames) file(archived string) string {
	return translate(translate(archived, n.fromArchive), n.toFile)
}

// archive returns the name in an archive of a class of a file.
func (n classNames) archive(class string) string {
	return translate(translate(class, n.fromFile), n.toArchive)
}

func translate(name string, to map[string]string) string { return cmp.Or(to[name], name) }
