package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type pairPage struct {
	Name     analyze.MethodName
	InA, InB bool
	PageA    *link // page of the method in each archive, or nil
	PageB    *link
	Profiles []*profilePair
	Left     int // number of hidden profiles
}

func (p *pairPage) title() string { return p.Name.Display }

type profilePair struct {
	Callers string
	Code    string // code id, empty if unknown
	Other   bool   // the code of B differs
	A, B    bool   // the archives that have it
	Points  []pointPair
	a, b    reader.Profile
}

type pointPair struct {
	ID     string
	Number int32
	Kind   string
	// Bytecode is the instruction at the point, Source is its line of source code, and Line the line number. They are
	// empty if unknown.
	Bytecode, Source string
	Line             int
	A, B             *point
	Change           string // the largest change of a share; empty if it is small
	Way              string // CSS class of Change
}

func buildPair(r *request) (any, error) {
	var a, b reader.Method
	var errA, errB error
	if r.query.valueOf("a") != "" {
		a, errA = r.askedMethodIn(r.site.Archive, "a")
	}
	if r.query.valueOf("b") != "" {
		b, errB = r.askedMethodIn(r.site.Other, "b")
	}
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err
	}
	p := &pairPage{InA: a.Valid(), InB: b.Valid()}
	p.PageA, p.PageB = linkInArchive("Its page in A", a, sideA), linkInArchive("Its page in B", b, sideB)
	named := cmp.Or(a, b)
	if !named.Valid() {
		return nil, errNoPage
	}
	p.Name = r.nameOf(named)
	return p, p.addProfilePairs(r, a, b)
}

func linkInArchive(text string, m reader.Method, side string) *link {
	if !m.Valid() {
		return nil
	}
	return linkToPage(text, nameOfMethod, methodQuery(m).withValues(keyOfSide, side)).optional()
}

// addProfilePairs adds the profiles of both methods. It pairs profiles with the same context and code.
func (p *pairPage) addProfilePairs(r *request, a, b reader.Method) error {
	inA, leftInA, errInA := r.placedProfiles(a)
	inB, leftInB, errInB := r.placedProfiles(b)
	if err := cmp.Or(errInA, errInB); err != nil {
		return err
	}
	pairs := pairProfiles(inA, inB)
	p.Profiles = pairs[:min(len(pairs), profilesOnPage)]
	p.Left = len(pairs) - len(p.Profiles) + leftInA + leftInB
	seen := map[string]bool{}
	return lists.Each(p.Profiles, func(pair *profilePair) error { return pair.readPointPairs(r, seen) })
}

type placedProfile struct {
	reader.Profile
	callers string
}

// Limits of a comparison. Contexts can be long, and each is compared with all others.
const (
	profilesPaired = 4000
	callersPaired  = 16 << 20 // bytes of all contexts
)

func (r *request) placedProfiles(m reader.Method) (list []placedProfile, left int, err error) {
	if !m.Valid() {
		return nil, 0, nil
	}
	length := 0
	err = poll.Each(poll.New(r.ctx), m.Profiles(), func(q reader.Profile) error {
		if len(list) == profilesPaired || length > callersPaired {
			left++
			return nil
		}
		callers := r.callersText(q, analyze.MethodName.String)
		length += len(callers)
		list = append(list, placedProfile{q, callers})
		return *r.damage
	})
	return list, left, err
}

func (r *request) callersText(q reader.Profile, spelled func(analyze.MethodName) string) string {
	return lists.Join(r.framesOf(q), " < ",
		func(f reader.Frame) string { return fmt.Sprintf("%s at %d", spelled(r.nameOf(f.Caller)), f.Point) })
}

// pairProfiles pairs profiles with the same context. It pairs those with the same code first, and then the others in
// order. Pairs with a profile of A come first.
func pairProfiles(inA, inB []placedProfile) (pairs []*profilePair) {
	take := func(a placedProfile, fits func(b placedProfile) bool) reader.Profile {
		at := slices.IndexFunc(inB, func(b placedProfile) bool { return a.callers == b.callers && fits(b) })
		if at < 0 {
			return reader.Profile{}
		}
		b := inB[at].Profile
		inB = slices.Delete(inB, at, at+1)
		return b
	}
	for _, a := range inA {
		pairs = append(pairs, &profilePair{Callers: a.callers, a: a.Profile,
			b: take(a, func(b placedProfile) bool { return a.Code() == b.Code() })})
	}
	for i, a := range inA {
		if !pairs[i].b.Valid() {
			pairs[i].b = take(a, func(placedProfile) bool { return true })
		}
	}
	for _, b := range inB {
		pairs = append(pairs, &profilePair{Callers: b.callers, b: b.Profile})
	}
	return pairs
}

const pointsInPair = 2000

func (p *profilePair) readPointPairs(r *request, seen map[string]bool) error {
	p.A, p.B = p.a.Valid(), p.b.Valid()
	one := cmp.Or(p.a, p.b)
	if id := one.Code(); id != 0 {
		p.Code = display.IDText(id)
	}
	p.Other = p.A && p.B && p.a.Code() != p.b.Code()
	p.Points = alignPoints(sidePoints(r, p.a, p.Callers), sidePoints(r, p.b, p.Callers))
	p.Points = p.Points[:min(len(p.Points), pointsInPair)]
	for i := range p.Points {
		if id := r.elementID(pointElement(p.Points[i].Number)); !seen[id] {
			seen[id], p.Points[i].ID = true, id
		}
	}
	return p.addBytecodes(r)
}

func sidePoints(r *request, q reader.Profile, callers string) (list []*point) {
	if !q.Valid() {
		return nil
	}
	m, err := q.Method()
	r.noteError(err)
	of := r.requestFor(q.Store())
	page := linkToPage("In "+strings.ToUpper(of.site.sideLetter()), nameOfMethod, methodQuery(m))
	if callers != "" {
		page.query = page.query.withValues("profile", recordRefText(q.Ref()))
	}
	page = page.toArchiveOf(of.site)
	b := newPointBuilder(of)
	b.unfolded = true // B may have outcomes that A never had
	points, err := b.points.Points(q)
	r.noteError(err)
	for i := range points[:min(len(points), pointsInPair)] {
		shown := b.buildPoint(&points[i], nil)
		shown.Page = page.atElement(pointElement(shown.Number))
		for k := range shown.Outcomes {
			o := &shown.Outcomes[k]
			o.What = o.What.toArchiveOf(of.site)
			if o.Then != nil {
				o.Then = &link{Text: o.Then.Text}
			}
		}
		for k := range shown.Types {
			shown.Types[k].Type = shown.Types[k].Type.toArchiveOf(of.site)
		}
		list = append(list, shown)
	}
	return list
}

// alignPoints pairs points with the same number and kind. Both lists are in code order, and unpaired points keep their
// positions.
func alignPoints(inA, inB []*point) (pairs []pointPair) {
	for _, a := range inA {
		at := slices.IndexFunc(inB, func(b *point) bool {
			return a.extra == b.extra && a.Number == b.Number && a.Kind == b.Kind
		})
		if at < 0 {
			pairs = append(pairs, newPointPair(a, nil))
			continue
		}
		for _, b := range inB[:at] {
			pairs = append(pairs, newPointPair(nil, b))
		}
		pairs = append(pairs, newPointPair(a, inB[at]))
		inB = inB[at+1:]
	}
	for _, b := range inB {
		pairs = append(pairs, newPointPair(nil, b))
	}
	return pairs
}

func newPointPair(a, b *point) pointPair {
	one := cmp.Or(a, b)
	p := pointPair{Number: one.Number, Kind: one.Kind, A: a, B: b}
	switch {
	case a == nil:
		p.Change, p.Way = "only B", "alone"
	case b == nil:
		p.Change, p.Way = "only A", "alone"
	default:
		inOneOrder(a, b)
		p.Change, p.Way = changeOf(a, b)
	}
	return p
}

// notedChange is the smallest displayed change of a share.
const notedChange = 0.1

// changeOf describes the outcome with the largest change of its share, and returns the CSS class. Both are empty below
// notedChange.
func changeOf(a, b *point) (text, way string) {
	shares := map[string]float64{}
	for _, o := range b.Outcomes {
		shares[o.What.Text] += o.Share
	}
	for _, o := range a.Outcomes {
		shares[o.What.Text] -= o.Share
	}
	most, by := "", notedChange
	for _, o := range slices.Concat(a.Outcomes, b.Outcomes) {
		if change := shares[o.What.Text]; max(change, -change) >= by+1e-9 && a.Count > 0 && b.Count > 0 {
			most = o.What.Text
			by = max(change, -change)
		}
	}
	if most == "" {
		return "", ""
	}
	return fmt.Sprintf("%s: %s%.0f percentage points", most, changeSign(shares[most]), 100*by), changeClass(shares[most])
}

const pairsInReport = 10

func pairsWithPages(r *request) ([]query, error) {
	page, err := buildDiff(r)
	if err := cmp.Or(err, *r.damage); err != nil {
		return nil, err
	}
	var list []query
	known := map[string]bool{}
	for _, l := range page.(*diffPage).Lists {
		for _, cells := range l.Rows.Rows[:min(len(l.Rows.Rows), pairsInReport)] {
			if q := cells[0].Link.query; cells[0].Link.view == nameOfPair && !known[q.encodeQuery()] {
				known[q.encodeQuery()] = true
				list = append(list, q)
			}
		}
	}
	return list, nil
}

func (p *profilePair) addBytecodes(r *request) error {
	one := cmp.Or(p.a, p.b)
	if p.Other || !listing.SupportsDomain(one.Store().Header().Domain) {
		return nil
	}
	side := r.requestFor(one.Store())
	code, err := programOf(side)
	r.patience = side.patience
	if err != nil || code == nil || code.err != nil {
		return err // the page of the method explains why there is no code
	}
	m, err := one.Method()
	if err != nil {
		return err
	}
	l, err := code.classes.ListMethod(m, one)
	if err != nil || !l.HasCounts() {
		return err
	}
	for i := range p.Points {
		p.Points[i].addBytecode(m.Store().Header().Domain, l)
	}
	return nil
}

func (p *pointPair) addBytecode(d layout.Domain, l *listing.Listing) {
	i, ok := l.At(int(p.Number))
	if !ok {
		return
	}
	p.Bytecode = strings.TrimSpace(i.Mnemonic + " " + i.Operands)
	if i.Ref != nil {
		p.Bytecode += " " + bytecodeRefText(i.Ref, d)
	}
	if strings.HasPrefix(i.Mnemonic, "if") && len(i.Targets) == 1 {
		for _, side := range []*point{p.A, p.B} {
			side.explainTaken(fmt.Sprintf("(%s jumps to %d)", i.Mnemonic, i.Targets[0]))
		}
	}
	if l.Source != nil && i.Line > 0 && i.Line <= len(l.Source.Lines) {
		p.Line = i.Line
		p.Source = strings.TrimSpace(shortenLine(l.Source.Lines[i.Line-1].Text))
	}
}

// explainTaken adds the meaning of a taken branch. p may be nil.
func (p *point) explainTaken(text string) {
	if p == nil {
		return
	}
	for i := range p.Outcomes {
		if o := &p.Outcomes[i]; o.What.Text == string(analyze.Taken) {
			o.Note, o.Then = text, nil
		}
	}
}

func (r *request) requestFor(s *reader.Store) *request {
	of := *r
	if s != r.site.Archive {
		of.site = r.site.twin
	}
	return &of
}

func (l link) toArchiveOf(s *Site) link {
	if l.view == "" {
		return l
	}
	l.query = l.query.withValues(keyOfSide, s.sideLetter())
	return l
}

func listedByCount(k analyze.Kind) bool {
	return k == analyze.OfType || k == analyze.Call || k == analyze.Value
}

func inOneOrder(a, b *point) {
	if a.Left > 0 || b.Left > 0 {
		return
	}
	sums := map[string]uint64{}
	var names []string
	for _, o := range slices.Concat(a.Outcomes, b.Outcomes) {
		if _, known := sums[o.What.Text]; !known && o.ranked {
			names = append(names, o.What.Text)
		}
		sums[o.What.Text] += o.Count
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(sums[y], sums[x]) })
	several := len(names) > 1
	a.Outcomes, b.Outcomes = a.orderedOutcomes(names, several), b.orderedOutcomes(names, several)
}

// orderedOutcomes returns the outcomes with these names in their order, and then the others.
func (p *point) orderedOutcomes(names []string, several bool) (list []outcome) {
	if len(names) == 0 {
		return p.Outcomes
	}
	for _, name := range names {
		at := slices.IndexFunc(p.Outcomes, func(o outcome) bool { return o.ranked && o.What.Text == name })
		o := outcome{What: link{Text: name}, ranked: true}
		if at >= 0 {
			o = p.Outcomes[at]
		}
		o.Shared = o.Shared || several && p.Count > 0
		list = append(list, o)
	}
	for _, o := range p.Outcomes {
		if !o.ranked {
			list = append(list, o)
		}
	}
	return list
}
