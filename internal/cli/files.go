package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// FileArguments expands the arguments of a command that reads many files.
type FileArguments struct {
	lists []string // values of --files
}

// A FileArgument is a file to read.
type FileArgument struct {
	Name   string
	Folder string // argument that the file is in, "" if the file itself was named
}

// A fileExpansion is one call of Expand.
type fileExpansion struct {
	a         *App
	skipsBad  bool
	readStdin bool
	files     []FileArgument
}

func (l *FileArguments) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&l.lists, "files", "f", nil,
		"file with the paths of further inputs, a line each, or with NUL bytes between them; - for the standard input")
}

// Expand replaces folders by their files, @LIST by the paths in it, and patterns by the files that match. A missing
// path of a list is an error if mode does not leave bad files out.
func (l *FileArguments) Expand(a *App, args []string, mode *FailureMode) ([]FileArgument, error) {
	e := fileExpansion{a: a, skipsBad: mode.SkipsBad()}
	for _, arg := range args {
		if err := e.addArgument(arg); err != nil {
			return nil, err
		}
	}
	for _, list := range l.lists {
		if err := e.addList(list); err != nil {
			return nil, err
		}
	}
	named := slices.Concat(args, l.lists)
	if len(e.files) == 0 && len(named) > 0 {
		return nil, fmt.Errorf("%s: no file is in it: the runs that should write there have not ended well, or write "+
			"elsewhere", named[0])
	}
	return e.files, nil
}

func (e *fileExpansion) addArgument(arg string) error {
	list, isList := strings.CutPrefix(arg, "@")
	switch info, err := os.Stat(arg); {
	case arg == "-" && e.readStdin:
		return Usagef("-: the standard input can be read once")
	case err == nil && info.IsDir():
		return e.addFolder(arg)
	case err != nil && isList:
		return e.addList(list)
	case strings.ContainsAny(arg, "*?[") && !isNamed(arg):
		return e.addMatches(arg)
	}
	e.readStdin = e.readStdin || arg == "-"
	e.files = append(e.files, FileArgument{Name: arg})
	return nil
}

func (e *fileExpansion) addFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if isRegular(path) && !isTemporary(entry.Name()) {
			e.files = append(e.files, FileArgument{path, folder})
		}
	}
	return err
}

func (e *fileExpansion) addMatches(pattern string) error {
	names, err := filepath.Glob(pattern) // sorted within each folder
	if err != nil || len(names) == 0 {
		return Usagef("%s: no file has this name or matches this pattern", pattern)
	}
	for _, name := range names {
		e.files = append(e.files, FileArgument{Name: name})
	}
	return nil
}

func (e *fileExpansion) addList(list string) error {
	if list == "-" && e.readStdin {
		return Usagef("--files -: the standard input can be read once")
	}
	e.readStdin = e.readStdin || list == "-"
	paths, err := readList(e.a, list)
	for i, path := range paths {
		switch info, err := os.Stat(path); {
		case path == "":
			continue
		case path == "-":
			return Usagef("%s:%d: - is no path: name the standard input as an argument", list, i+1)
		case err == nil && info.IsDir():
			return fmt.Errorf("%s:%d: %w", list, i+1, errFolder(path))
		case err != nil && !isNamed(path) && !e.skipsBad:
			return fmt.Errorf("%s:%d: %w", list, i+1, err)
		}
		e.files = append(e.files, FileArgument{Name: path})
	}
	return err
}

// readList returns the lines of a file, or what is between its NUL bytes.
func readList(a *App, list string) ([]string, error) {
	in := a.In
	if list != "-" {
		file, err := OpenFile(list)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(in)
	if bytes.IndexByte(data, 0) >= 0 {
		return strings.Split(string(data), "\x00"), err
	}
	return strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"), err
}

// isNamed reports whether a file has the name arg, perhaps without a weight at its end.
func isNamed(arg string) bool {
	_, err := os.Lstat(arg)
	if at := strings.LastIndexByte(arg, ':'); err != nil && at > 0 {
		_, err = os.Lstat(arg[:at])
	}
	return err == nil
}

func isTemporary(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasSuffix(name, ".tmp")
}
