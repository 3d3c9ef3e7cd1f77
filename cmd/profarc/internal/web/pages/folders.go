package pages

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// baseName returns the name of an archive's file without its folder.
func baseName(path string) string { return filepath.Base(path) }

// folders returns the folders of the files that a site was given, the longest first.
func (s *Site) folders() (list []string) {
	files := slices.Concat([]string{s.Archive.Mapping().Name(), s.Binary}, s.ClassPath, s.SourcePath)
	if s.Other != nil {
		files = append(files, s.Other.Mapping().Name())
	}
	for _, file := range files {
		if folder := filepath.Dir(file); folder != "." && folder != string(filepath.Separator) {
			list = append(list, folder+string(filepath.Separator))
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(list)
}

// place returns a text that names files of this machine. A report, which others read, has
// their names without the folders.
func (r *request) place(text string) string {
	if !r.inReport {
		return text
	}
	return r.withoutFolders(text)
}

// withoutFolders returns a text that names files, with their names within what the site was given.
func (r *request) withoutFolders(text string) string {
	for _, folder := range r.site.folders() {
		text = strings.ReplaceAll(text, folder, "")
	}
	return text
}
