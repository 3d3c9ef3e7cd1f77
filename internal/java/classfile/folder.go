package classfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Extensions of class files and of JDK modules.
const (
	extension       = ".class"
	moduleExtension = ".jmod"
)

type folder string

func (f folder) appendFiles(files []classFile, class string, _ int) []classFile {
	if !isLocalName(class) {
		return files
	}
	return append(files, plainFile(filepath.Join(string(f), filepath.FromSlash(class)+extension)))
}

const maxListed = 1 << 20

func (f folder) names(yield func(class string) bool) bool {
	more := true
	walkFiles(string(f), maxListed, func(file string) error {
		if name, ok := strings.CutSuffix(file, extension); ok {
			name, err := filepath.Rel(string(f), name)
			more = err != nil || yield(filepath.ToSlash(name))
			if !more {
				return fs.SkipAll
			}
		}
		return nil
	})
	return more
}

// walkFiles calls visit with the files below a folder, as filepath.WalkDir does, until it has seen limit files and
// folders. Unreadable folders are empty.
func walkFiles(root string, limit int, visit func(file string) error) {
	seen := 0
	_ = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if seen++; seen > limit {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return nil
		}
		return visit(file)
	})
}

func (folder) Close() error { return nil }

type plainFile string

func (f plainFile) fileName() string { return string(f) }

func (f plainFile) readFile() ([]byte, error) {
	in, err := os.Open(string(f))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readClass(in)
}

// isLocalName reports whether a class name leads to a file within the folder.
func isLocalName(class string) bool {
	return filepath.IsLocal(filepath.FromSlash(class)) && !strings.ContainsAny(class, "\\\x00")
}

// Wildcard reports whether an element of a class path stands for all jars and .jmod files of a folder, such as lib/*.
func Wildcard(path string) bool { return filepath.Base(path) == "*" }

func expandWildcards(paths []string) (all []string, err error) {
	for _, p := range paths {
		if !Wildcard(p) {
			all = append(all, p)
			continue
		}
		jars, err := listJars(filepath.Dir(p))
		if err != nil {
			return nil, err
		}
		if len(jars) == 0 {
			return nil, fmt.Errorf("%s: there is no jar in %s: name a folder that has some", p, filepath.Dir(p))
		}
		all = append(all, jars...)
	}
	return all, nil
}

func listJars(dir string) (jars []string, err error) {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if !f.IsDir() && (hasJarName(f.Name()) || strings.EqualFold(filepath.Ext(f.Name()), moduleExtension)) {
			jars = append(jars, filepath.Join(dir, f.Name()))
		}
	}
	return jars, err
}

type Survey struct {
	Class  string // name of a class
	Root   string // folder that contains the class file in its package's folder
	Jar    string // path of a jar or .jmod in a folder
	Source string // path of a Java source file in a folder
}

// maxSurvey is the maximum number of files in a survey.
const maxSurvey = 100_000

// SurveyPath surveys a folder or jar. It skips unreadable parts.
func SurveyPath(path string) (s Survey) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return lookIntoJar(path)
	}
	walkFiles(path, maxSurvey, s.noteFile)
	return s
}

func (s *Survey) noteFile(file string) error {
	switch ext := filepath.Ext(file); {
	case ext == extension:
		return s.setClass(file)
	case (hasJarName(file) || strings.EqualFold(ext, moduleExtension)) && s.Jar == "":
		s.Jar = file
	case ext == ".java" && s.Source == "":
		s.Source = file
	}
	return nil
}

func (s *Survey) setClass(file string) error {
	b, err := plainFile(file).readFile()
	if err != nil {
		return nil
	}
	c, err := Parse(b)
	if err != nil {
		return nil
	}
	whole, err := filepath.Abs(file)
	root, ok := strings.CutSuffix(filepath.ToSlash(whole), "/"+c.Name+extension)
	if err != nil || !ok {
		return nil
	}
	s.Class, s.Root = c.Name, filepath.Clean(filepath.FromSlash(root)+string(filepath.Separator))
	if !filepath.IsAbs(file) {
		s.Root = relativePath(s.Root)
	}
	return fs.SkipAll
}

func relativePath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil {
		return short
	}
	return path
}

func lookIntoJar(path string) (s Survey) {
	o := &opener{budget: newBudget()}
	j, err := o.openJar(path)
	if err != nil {
		return s
	}
	defer j.Close()
	j.names(func(class string) bool {
		if s.Class == "" || class < s.Class {
			s.Class = class
		}
		return true
	})
	return s
}
