package pages

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/testkit/annotate"
)

const nameOfBytes = "bytes"

var bytesView = &view{
	name:  nameOfBytes,
	title: "Bytes",
	about: "A page of the file, range by range: what each of its bytes is. docs/format.md describes the records.",
	build: buildBytes,
	pages: bytesInReport,
}

// A bytesPage is what the page about a page of the file shows.
type bytesPage struct {
	Number   uint64
	From, To int64
	Regions  []link // in which it is
	Damaged  string // why the page is not what was written; empty if it is sound
	Broken   string // why the rest cannot be named
	Lines    []byteLine
	Earlier  *link
	Later    *link
	Jump     *jump
	Map      link
	Asked    *link // to the offset that was asked for; nil if none was
	InReport bool  // no line is a link to itself
}

func (p *bytesPage) title() string { return fmt.Sprintf("Page %s", grouped(p.Number)) }

// Range says which bytes of the file the page has.
func (p *bytesPage) Range() string {
	return grouped(uint64(p.From)) + " to " + grouped(uint64(p.To))
}

// A byteLine is up to eight bytes and what they are, or a heading.
type byteLine struct {
	ID      string // of its element
	Offset  string
	Hex     string
	Text    string
	Heading bool
	at      int64
}

// byteElement is the name of the element of the bytes at an offset.
func byteElement(offset int64) string { return fmt.Sprintf("at-%x", offset) }

func buildBytes(r *request) (any, error) {
	size := r.archive().Header().FileSize
	number, offset, err := askedPage(r.query)
	if err != nil || number >= pagesOf(size) || offset >= size {
		return nil, errNoPage
	}
	p := &bytesPage{Number: number, From: int64(number) << disk.PageShift, Map: linkTo(mapTitle, nameOfMap, query{}),
		InReport: r.inReport}
	p.To = min(p.From+disk.PageSize, size)
	p.turn(r, pagesOf(size)-1)
	p.place(r)
	if err := p.read(r); err != nil {
		return nil, err
	}
	if offset >= 0 {
		p.ask(r, offset)
	}
	return p, nil
}

// askedPage returns the number of the page that a query asks for, and the offset if it asks for
// one, in decimal or, after 0x, in hexadecimal; otherwise -1.
func askedPage(q query) (number uint64, offset int64, err error) {
	asked := strings.ReplaceAll(strings.TrimSpace(q.get("offset")), ",", "")
	if asked == "" {
		number, err = strconv.ParseUint(q.get("page"), 10, 63)
		return number, -1, err
	}
	base := 10
	if digits, ok := strings.CutPrefix(strings.ToLower(asked), "0x"); ok {
		asked, base = digits, 16
	}
	at, err := strconv.ParseUint(asked, base, 63)
	return at >> disk.PageShift, int64(at), err
}

// ask adds a link to the bytes at an offset of the page.
func (p *bytesPage) ask(r *request, offset int64) {
	for i := range p.Lines {
		if l := &p.Lines[i]; !l.Heading && l.at <= offset {
			to := linkTo(fmt.Sprintf("Offset %s, %#x: %s", grouped(uint64(offset)), offset, l.Text), nameOfBytes,
				r.query).to(byteElement(l.at))
			p.Asked = &to
		}
	}
}

// mapTitle is the title of the map, which cannot name the bytes' page and be named by it.
const mapTitle = "Archive map"

// turn adds the links to the pages before and after.
func (p *bytesPage) turn(r *request, last uint64) {
	if r.inReport {
		return
	}
	p.Jump = &jump{last, p.Number}
	if p.Number > 0 {
		l := bytesLink("Page before", p.From-disk.PageSize)
		p.Earlier = &l
	}
	if p.Number < last {
		l := bytesLink("Next page", p.To)
		p.Later = &l
	}
}

// place names the regions in which the page is, and checks its sum.
func (p *bytesPage) place(r *request) {
	h := r.archive().Header()
	for region := disk.RegionHeader; int(region) <= disk.NumRegions; region++ {
		s := h.Region(region)
		from, to := max(s.Offset, p.From), min(s.End(), p.To)
		if from >= to {
			continue
		}
		p.Regions = append(p.Regions, bytesLink(region.String(), s.Offset))
		if err := r.archive().Mapping().Check(region, from, to-from); err != nil {
			p.Damaged = r.place(err.Error())
		}
	}
}

// read names the bytes of the page.
func (p *bytesPage) read(r *request) error {
	starts, err := gather(r, "where records begin in the file",
		func(ctx context.Context, s *Site, progress *Progress) (*annotate.Starts, error) {
			return annotate.FindStarts(ctx, s.Archive.Mapping().Unchecked(),
				func(done, total int64) { progress.set(uint64(done), uint64(total)) })
		})
	var late *unfinished
	if errors.As(err, &late) || closed(err) {
		return err
	}
	// Without starts the records before the page are read, which may end at what is damaged.
	err = annotate.Part(r.archive().Mapping().Unchecked(), annotate.Window{From: p.From, To: p.To, Starts: starts},
		func(l annotate.Line) {
			p.Lines = append(p.Lines, newByteLine(r, l))
		})
	if err != nil {
		p.Broken = r.place(err.Error())
	}
	return nil
}

func newByteLine(r *request, l annotate.Line) byteLine {
	b := byteLine{at: l.Offset, Text: l.Text, Heading: len(l.Bytes) == 0, Offset: fmt.Sprintf("%06x", l.Offset),
		Hex: fmt.Sprintf("% x", l.Bytes[:min(len(l.Bytes), 8)])}
	if l.Zeros {
		b.Hex = fmt.Sprintf("00 × %s", grouped(uint64(len(l.Bytes))))
	}
	if !b.Heading {
		b.ID = r.element(byteElement(l.Offset))
	}
	return b
}

// bytesInReport returns the queries of the first page of each region.
func bytesInReport(r *request) (list []query, err error) {
	known := map[int64]bool{}
	h := r.archive().Header()
	for region := disk.RegionHeader; int(region) <= disk.NumRegions; region++ {
		page := h.Region(region).Offset >> disk.PageShift
		if h.Region(region).Size > 0 && !known[page] {
			known[page] = true
			list = append(list, bytesLink("", page<<disk.PageShift).query)
		}
	}
	return list, nil
}
