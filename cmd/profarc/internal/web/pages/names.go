package pages

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/reader"
)

// searchNames are the names of all methods, or of all classes, in small letters. A name has two pieces: the head ends
// with the last separator before the parameters, as "java.util.hashmap.", the tail is "get(object)". Methods share most
// of their pieces, so that few megabytes of text are searched for a million of them.
type searchNames struct {
	heads, tails namePieces
	names        []nameInPieces
	ends         []int // of the names of each, in the order of the tally
}

// nameInPieces is a name by the numbers of its pieces.
type nameInPieces struct{ head, tail int32 }

// separators are the characters that heads end with.
const separators = ".:/;"

// piecesOf returns the pieces of a name, and of a word that begins in a head and ends in a tail.
func piecesOf(name string) (head, tail string) {
	parameters := strings.IndexByte(name, '(')
	if parameters < 0 {
		parameters = len(name)
	}
	at := strings.LastIndexAny(name[:parameters], separators) + 1
	return name[:at], name[at:]
}

// add adds the names of the next.
func (n *searchNames) add(names ...string) {
	for _, name := range names {
		head, tail := piecesOf(strings.ToLower(name))
		n.names = append(n.names, nameInPieces{n.heads.number(head), n.tails.number(tail)})
	}
	n.ends = append(n.ends, len(n.names))
}

func (n *searchNames) complete() { n.heads.numbers, n.tails.numbers = nil, nil }

// methodNamesOf returns the names of the methods of the site's archive: as people spell them, as the archive has
// them, and the file if it is known.
func methodNamesOf(r *request) (*searchNames, error) {
	return gather(r, "the names of all methods", readMethodNames)
}

func readMethodNames(ctx context.Context, s *Site, p *Progress) (*searchNames, error) {
	files, err := stacks.Places(s.Archive)
	if err != nil {
		return nil, err
	}
	n := &searchNames{}
	err = eachMethod(ctx, s.Archive, p, func(m reader.Method) error {
		name, err := analyze.NameOf(s.Archive, m)
		n.add(name.Spelled(), name.String(), strings.ReplaceAll(files[m.Ref()].File, "/", "."))
		return err
	})
	n.complete()
	return n, err
}

// having returns the members of among whose names contain each word of a text, in any case of letters.
func (n *searchNames) having(ctx context.Context, text string, among []int32) ([]int32, error) {
	lacks := make([]bool, len(n.ends))
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if err := ctx.Err(); err != nil {
			return nil, err // a query may have a thousand words
		}
		n.markWithout(word, lacks)
	}
	return slices.DeleteFunc(among, func(i int32) bool { return lacks[i] }), nil
}

// markWithout marks the members with no name that contains a word.
func (n *searchNames) markWithout(word string, lacks []bool) {
	heads, tails := n.heads.containing(word), n.tails.containing(word)
	if head, tail := piecesOf(word); head != "" && tail != "" {
		n.heads.markAcross(heads, func(p []byte) bool { return bytes.HasSuffix(p, []byte(head)) })
		n.tails.markAcross(tails, func(p []byte) bool { return bytes.HasPrefix(p, []byte(tail)) })
	}
	has := func(p nameInPieces) bool {
		head, tail := heads[p.head], tails[p.tail]
		return (head|tail)&within|head&tail&across != 0
	}
	onAllProcessors(len(n.ends), func(from, to int) {
		begin := 0
		if from > 0 {
			begin = n.ends[from-1]
		}
		for i, end := range n.ends[from:to] {
			lacks[from+i] = lacks[from+i] || !slices.ContainsFunc(n.names[begin:end], has)
			begin = end
		}
	})
}
