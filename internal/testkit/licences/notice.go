package licences

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

const noticeHead = `profarc
Copyright the contributors of profarc, under the Apache License 2.0

The programs of a release are linked from these modules. go run ./.ci/release -notice writes this list; a release
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
