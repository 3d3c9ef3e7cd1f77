package classfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Survey is what a part of a class path holds, the first of each kind.
type Survey struct {
	Class  string // name of a class
	Root   string // of a folder: the folder in which that class is found
	Jar    string // file of a jar or .jmod in a folder
	Source string // file of Java in a folder
}

// maxSurvey bounds the files that are looked at.
const maxSurvey = 100_000

// Look says what a folder or a jar holds, as far as it can be read.
func Look(path string) (s Survey) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return lookIntoJar(path)
	}
	seen := 0
	_ = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if seen++; seen > maxSurvey {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return nil // what cannot be read holds nothing
		}
		return s.note(file)
	})
	return s
}

// note notes a file; the first class file ends the search.
func (s *Survey) note(file string) error {
	switch ext := filepath.Ext(file); {
	case ext == extension:
		return s.class(file)
	case (isJar(file) || strings.EqualFold(ext, moduleExtension)) && s.Jar == "":
		s.Jar = file
	case ext == ".java" && s.Source == "":
		s.Source = file
	}
	return nil
}

// class notes the class of a file, and where it would have to be looked for.
func (s *Survey) class(file string) error {
	b, err := readFile(file)
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
		s.Root = fromHere(s.Root)
	}
	return fs.SkipAll
}

// fromHere is a path from the working folder on.
func fromHere(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil {
		return short
	}
	return path
}

func readFile(name string) ([]byte, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readClass(in)
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
