// Package licences identifies the licences of modules by the texts in the module cache. It uses no network.
package licences

import (
	"os"
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
