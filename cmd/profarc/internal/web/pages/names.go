package pages

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/internal/format/poll"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/reader"
)

// searchNames are names of all methods, or of all classes, in small letters, one after the other. To spell a
// million takes seconds, and to search them a tenth of a second.
type searchNames struct {
	text []byte
	ends []int // of the names of each, in the order of the tally
}

// add adds the names of the next.
func (n *searchNames) add(names ...string) {
	for _, name := range names {
		n.text = append(append(n.text, strings.ToLower(name)...), '\n')
	}
	n.ends = append(n.ends, len(n.text))
}

// methodNamesOf returns the names of the methods of the site's archive: as people spell them, as the archive has
// them, and the file if it is known.
func methodNamesOf(r *request) (*searchNames, error) {
	return gather(r, "the names of all methods", func(ctx context.Context, s *Site, p *Progress) (*searchNames, error) {
		return readMethodNames(ctx, s.Archive, p)
	})
}

func readMethodNames(ctx context.Context, s *reader.Store, p *Progress) (*searchNames, error) {
	files, err := stacks.Places(s)
	if err != nil {
		return nil, err
	}
	n, total, steps := &searchNames{}, s.Header().Counts.Methods, poll.New(ctx)
	for m, err := range s.Methods() {
		if err = cmp.Or(err, steps.Err()); err != nil {
			return nil, err
		}
		name, err := analyze.NameOf(s, m)
		if err != nil {
			return nil, err
		}
		n.add(name.Spelled(), name.String(), strings.ReplaceAll(files[m.Ref()].File, "/", "."))
		if len(n.ends)%1024 == 0 {
			p.set(uint64(len(n.ends)), total)
		}
	}
	return n, nil
}

// having returns the members of among whose names contain each word of a text, in any case of letters.
func (n *searchNames) having(ctx context.Context, text string, among []int32) ([]int32, error) {
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if err := ctx.Err(); err != nil {
			return nil, err // a query may have a thousand words
		}
		has := n.withWord([]byte(word))
		among = slices.DeleteFunc(among, func(i int32) bool { return !has[i] })
	}
	return among, nil
}

// withWord returns for each whether its names contain a word.
func (n *searchNames) withWord(word []byte) []bool {
	has := make([]bool, len(n.ends))
	for i, at := 0, 0; at < len(n.text); at = n.ends[i] {
		found := bytes.Index(n.text[at:], word)
		if found < 0 {
			break
		}
		for at += found; n.ends[i] <= at; {
			i++
		}
		has[i] = true
	}
	return has
}
