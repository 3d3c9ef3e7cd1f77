package replay

import "github.com/profarc/profarc/reader"

// classNames says what a class is called in a replay file, in the VM, and in an
// archive: for hidden classes these are three.
//
//	@bci Main main ([Ljava/lang/String;)V 160 <appendix> member <vmtarget> ;
//	Main$$Lambda+0x0000000016040c90
//	Main$$Lambda@Main#0
type classNames struct {
	fromFile, toFile       map[string]string // reference and VM's name
	fromArchive, toArchive map[string]string // archive's name and VM's name
}

// readNames reads what an archive knows of it: the aliases of its types.
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

// with adds the references of a recording.
func (n classNames) with(r *recording) classNames {
	n.fromFile, n.toFile = r.references(), map[string]string{}
	for reference, name := range n.fromFile {
		n.toFile[name] = reference
	}
	return n
}

// file is what a file calls a class of the archive.
func (n classNames) file(archived string) string {
	return translate(translate(archived, n.fromArchive), n.toFile)
}

// archive is what an archive calls a class of a file.
func (n classNames) archive(class string) string {
	return translate(translate(class, n.fromFile), n.toArchive)
}

func translate(name string, to map[string]string) string {
	if other, ok := to[name]; ok {
		return other
	}
	return name
}
