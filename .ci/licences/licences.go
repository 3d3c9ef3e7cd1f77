// Package licences identifies the licences of modules by the texts in the module cache. It uses no network.
package licences

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// phrases maps the SPDX names of allowed licences to a phrase in lower case with single spaces.
var licencePhrases = map[string]string{
	"Apache-2.0": "apache license version 2.0",
	"MIT":        "permission is hereby granted, free of charge, to any person obtaining a copy",
	"MPL-2.0":    "mozilla public license version 2.0",
}

// Both BSD licences begin with the first phrase. Only the licence with three clauses has the second one.
const (
	bsdPhrase = "redistribution and use in source and binary forms, with or without modification, are permitted"
	bsdClause = "neither the name"
)

// forbidden has phrases of licences that restrict use, or that extend to programs with the module.
var forbidden = []string{
	"gnu general public license version", "gnu lesser general public license version",
	"gnu affero general public license version",
	"server side public license", "business source license", "commons clause", "noncommercial",
}

// A Licence has the content of the licence files in a folder.
type Licence struct {
	Names     []string // sorted SPDX names of known licences
	Forbidden []string // forbidden phrases that occur
	Text      string   // concatenation of all files
}

// Of reads the licence files in a module's folder.
func Of(folder string) (l Licence, err error) {
	l.Text, err = readMatching(folder, licenceFile)
	if err != nil {
		return l, err
	}
	text := strings.ToLower(strings.Join(strings.Fields(l.Text), " "))
	for name, phrase := range licencePhrases {
		if strings.Contains(text, phrase) {
			l.Names = append(l.Names, name)
		}
	}
	all := strings.Count(text, bsdPhrase)
	three := strings.Count(text, bsdClause)
	if all > 0 && three > 0 {
		l.Names = append(l.Names, "BSD-3-Clause")
	}
	if all > three {
		l.Names = append(l.Names, "BSD-2-Clause")
	}
	slices.Sort(l.Names)
	for _, phrase := range forbidden {
		if strings.Contains(text, phrase) {
			l.Forbidden = append(l.Forbidden, phrase)
		}
	}
	return l, nil
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)`)
	noticeFile  = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`) // files to distribute with a program
)

func readMatching(folder string, names *regexp.Regexp) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, e := range entries {
		if e.IsDir() || !names.MatchString(e.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return "", err
		}
		text.Write(b)
		text.WriteByte('\n')
	}
	return text.String(), nil
}

const noticeHead = `profarc
Copyright the contributors of profarc, under the Apache License 2.0

The programs of a release are linked from these modules. go run -C .ci ./release -notice writes this list; a release
has the texts of all licences in the file LICENCES.

`

// Notice returns the content of the file NOTICE, which lists all dependencies and their licences.
func Notice(ctx context.Context, root string) ([]byte, error) {
	list, err := Linked(ctx, root)
	text := bytes.NewBufferString(noticeHead)
	for _, m := range list {
		l, err := Of(m.Folder)
		if err != nil {
			return nil, err
		}
		name := m.Path
		if name == Standard {
			name = "Go's standard library"
		}
		fmt.Fprintf(text, "%s: %s\n", name, strings.Join(l.Names, ", "))
	}
	return text.Bytes(), err
}

// Texts concatenates the licences and notices of modules.
func Texts(list []Module) ([]byte, error) {
	var all bytes.Buffer
	for _, m := range list {
		text, err := readMatching(m.Folder, noticeFile)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&all, "==== %s ====\n\n%s\n", m.Path, text)
	}
	return all.Bytes(), nil
}

// A Module is a dependency of a program.
type Module struct{ Path, Folder string }

// ErrNotCached means that the module cache lacks a module.
var ErrNotCached = errors.New("a module is not in the module cache")

// Modules returns the modules that "go list -deps" finds in folder for a target GOOS/GOARCH, sorted by path. It omits
// the main module.
func Modules(ctx context.Context, folder, target string, args ...string) ([]Module, error) {
	system, processor, _ := strings.Cut(target, "/")
	args = append([]string{"list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}"}, args...)
	list := exec.CommandContext(ctx, "go", args...)
	list.Dir = folder
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOPROXY=off")
	out, err := list.CombinedOutput()
	if err != nil && strings.Contains(string(out), "GOPROXY=off") {
		return nil, fmt.Errorf("%w: %s", ErrNotCached, out)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", list, err, out)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[path] = dir
		}
	}
	return sortModules(found), nil
}

func sortModules(folders map[string]string) (list []Module) {
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		list = append(list, Module{path, folders[path]})
	}
	return list
}

// A Program is a program of a release.
type Program struct {
	Name    string
	Folder  string // folder of its module, relative to the root of the repository
	Package string
}

// Programs are the programs of a release.
var Programs = []Program{
	{"profarc", ".", "./cmd/profarc"},
	{"profarc-fleet", "fleet", "./cmd/profarc-fleet"},
	{"profarc-pull", "fleet", "./cmd/profarc-pull"},
}

// Targets are the values of GOOS/GOARCH of a release.
var Targets = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// Linked returns all dependencies of a release's programs on any target, including the standard library as module std.
// It omits modules of the repository.
func Linked(ctx context.Context, root string) ([]Module, error) {
	found := map[string]string{}
	for _, p := range Programs {
		for _, target := range Targets {
			list, err := Modules(ctx, filepath.Join(root, p.Folder), target, p.Package)
			if err != nil {
				return nil, err
			}
			for _, m := range list {
				found[m.Path] = m.Folder
			}
		}
	}
	delete(found, "github.com/profarc/profarc") // dependency of fleet
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	found[Standard] = strings.TrimSpace(string(goroot))
	return sortModules(found), err
}

// Standard is the module path of the standard library.
const Standard = "std"
