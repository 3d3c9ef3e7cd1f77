package pages

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/reader"
)

// A searchNames is a search index over the lower-case names of all methods or classes. A name is stored as two pieces.
// The head ends with the last separator before the parameters, as in "java.util.hashmap.", and the tail is
// "get(object)". Methods share most pieces, so a search in a million methods reads only a few megabytes.
type searchNames struct {
	heads, tails namePieces
	names        []nameInPieces
	ends         []int // end index in names of each member, in the order of the tally
}

type nameInPieces struct{ head, tail int32 }

// separators are the final characters of heads.
const separators = ".:/;"

// piecesOf splits a name, or a word that begins in a head and ends in a tail.
func piecesOf(name string) (head, tail string) {
	parameters := strings.IndexByte(name, '(')
	if parameters < 0 {
		parameters = len(name)
	}
	at := strings.LastIndexAny(name[:parameters], separators) + 1
	return name[:at], name[at:]
}

func (n *searchNames) addMember(names ...string) {
	for _, name := range names {
		head, tail := piecesOf(strings.ToLower(name))
		n.names = append(n.names, nameInPieces{n.heads.numberPiece(head), n.tails.numberPiece(tail)})
	}
	n.ends = append(n.ends, len(n.names))
}

func (n *searchNames) dropNumbers() { n.heads.numbers, n.tails.numbers = nil, nil }

// methodNamesOf returns the names of the methods of the site's archive. Each method has its displayed name, its name in
// the archive, and its file if known.
func methodNamesOf(r *request) (*searchNames, error) {
	return resultOf(r, "the names of all methods", readMethodNames)
}

func readMethodNames(ctx context.Context, s *Site, p *Progress) (*searchNames, error) {
	files, err := stacks.Places(s.Archive)
	if err != nil {
		return nil, err
	}
	n := &searchNames{}
	err = eachMethod(ctx, s.Archive, p, func(m reader.Method) error {
		name, err := analyze.NameOf(s.Archive, m)
		n.addMember(match.Fold(name.Spelled()), match.Fold(name.String()), match.Fold(files[m.Ref()].File))
		return err
	})
	n.dropNumbers()
	return n, err
}

// membersMatching returns the elements of among whose names contain each word of a text, or match it as a glob or an
// expression, ignoring case.
func (n *searchNames) membersMatching(ctx context.Context, text string, among []int32) ([]int32, error) {
	p := match.Folded(text)
	has := make([]bool, len(n.ends))
	for _, reading := range p.Readings() {
		lacks := make([]bool, len(n.ends))
		for _, word := range strings.Fields(reading) {
			if err := ctx.Err(); err != nil {
				return nil, err // a query can have a thousand words
			}
			n.markWithout(word, lacks)
		}
		for i := range has {
			has[i] = has[i] || !lacks[i]
		}
	}
	if !p.OnlyContained() {
		n.markWhole(&p, has)
	}
	return slices.DeleteFunc(among, func(i int32) bool { return !has[i] }), nil
}

// markWhole marks the members with a name that a pattern matches as a whole.
func (n *searchNames) markWhole(p *match.Pattern, has []bool) {
	onAllProcessors(len(n.ends), func(from, to int) {
		for i := from; i < to; i++ {
			begin := 0
			if i > 0 {
				begin = n.ends[i-1]
			}
			has[i] = has[i] || slices.ContainsFunc(n.names[begin:n.ends[i]], func(name nameInPieces) bool {
				return p.MatchesWhole(n.heads.pieceAt(name.head) + n.tails.pieceAt(name.tail))
			})
		}
	})
}

func (n *searchNames) markWithout(word string, lacks []bool) {
	heads := n.heads.containing(word)
	tails := n.tails.containing(word)
	if head, tail := piecesOf(word); head != "" && tail != "" {
		n.heads.markAcross(heads, func(p []byte) bool { return bytes.HasSuffix(p, []byte(head)) })
		n.tails.markAcross(tails, func(p []byte) bool { return bytes.HasPrefix(p, []byte(tail)) })
	}
	has := func(p nameInPieces) bool {
		head := heads[p.head]
		tail := tails[p.tail]
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

func (p *namePieces) pieceAt(i int32) string {
	begin := 0
	if i > 0 {
		begin = p.ends[i-1]
	}
	return string(p.text[begin : p.ends[i]-1])
}

type namePieces struct {
	text    []byte
	ends    []int            // end offset of each piece in text, after its newline
	numbers map[string]int32 // used while pieces are added
}

func (p *namePieces) numberPiece(piece string) int32 {
	if i, ok := p.numbers[piece]; ok {
		return i
	}
	if p.numbers == nil {
		p.numbers = map[string]int32{}
	}
	i := int32(len(p.ends))
	p.numbers[strings.Clone(piece)] = i // without Clone the whole name would stay in memory
	p.text = append(append(p.text, piece...), '\n')
	p.ends = append(p.ends, len(p.text))
	return i
}

// Relations between a word and a piece, as bits.
const (
	within uint8 = 1 << iota // the piece contains the word
	across                   // the piece ends with the start of the word, or begins with its end
)

func (p *namePieces) containing(word string) []uint8 {
	marks := make([]uint8, len(p.ends))
	onAllProcessors(len(p.ends), func(from, to int) { p.markContaining(marks, []byte(word), from, to) })
	return marks
}

// markContaining marks the pieces in [from, to) that contain a word.
func (p *namePieces) markContaining(marks []uint8, word []byte, from, to int) {
	at := 0
	if from > 0 {
		at = p.ends[from-1]
	}
	for i := from; i < to; i++ {
		found := bytes.Index(p.text[at:p.ends[to-1]], word)
		if found < 0 {
			return
		}
		for p.ends[i] <= at+found {
			i++
		}
		marks[i] = within
		at = p.ends[i]
	}
}

// onAllProcessors calls f for ranges that cover [0, n), one range per processor.
func onAllProcessors(n int, f func(from, to int)) {
	each := n/runtime.GOMAXPROCS(0) + 1
	var all sync.WaitGroup
	for from := 0; from < n; from += each {
		all.Go(func() { f(from, min(from+each, n)) })
	}
	all.Wait()
}

// markAcross marks the pieces with a part of a word at the edge.
func (p *namePieces) markAcross(marks []uint8, atEdge func(piece []byte) bool) {
	at := 0
	for i, end := range p.ends {
		if atEdge(p.text[at : end-1]) {
			marks[i] |= across
		}
		at = end
	}
}
