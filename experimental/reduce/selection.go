package reduce

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type selection struct {
	ctx   context.Context
	llvm  bool
	scale weigh.Scale
	keep  map[layout.Ref]bool // methods to keep; nil keeps all
	left  map[layout.Ref]bool // selected methods that the base has, too
	// keptStacks has the kept stacks by first row in the table of samples. It is nil unless methods are selected.
	keptStacks map[int]bool
	cold       bool // drop profiles without counts
	names      *Anonymizer
	known      map[uint64]bool // ids of LLVM functions and vtables that keep their names
	out        *Report
}

func newSelection(ctx context.Context, s *reader.Store, r *Options, out *Report) (*selection, error) {
	c := &selection{ctx: ctx, llvm: s.Header().Domain.LLVM(), scale: weigh.ScaleOf(s), cold: r.DropCold,
		names: r.Names, out: out}
	for _, step := range []func(*reader.Store, *Options) error{c.chooseMethods, c.leaveToBase, c.learnNames} {
		if err := step(s, r); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *selection) hasCounts(m reader.Method) (bool, error) {
	for p, err := range m.Profiles() {
		if err != nil || !c.dropsProfile(p) {
			return err == nil, err
		}
	}
	return false, nil
}

func (c *selection) copyConfig(h *layout.Header, more builder.Config) builder.Config {
	config := builder.ConfigOf(h)
	config.Workers = more.Workers
	config.Progress = more.Progress
	config.MemoryBudget = more.MemoryBudget
	config.SpillFolder = more.SpillFolder
	config.Fingerprint, config.DumpID = c.names.hashIdentity(h.Fingerprint), c.names.hashIdentity(h.DumpID)
	if h.Flags&disk.FlagMerged != 0 {
		config.DumpID = [16]byte{} // the table of dumps has the IDs
	}
	return config
}

// learnNames finds the LLVM functions and vtables that keep their names, so that they keep their IDs too.
func (c *selection) learnNames(s *reader.Store, _ *Options) (err error) {
	if !c.llvm || c.names == nil || c.names.keep == nil {
		return nil
	}
	c.known = map[uint64]bool{}
	learn := func(name string) {
		if c.names.keep(name) {
			c.known[disk.NameRef(name)] = true
		}
	}
	for m := range poll.Values(s.Methods(), &err) {
		var name reader.Name
		name, err = m.Name()
		learn(name.String())
	}
	t, errTable := s.TableOrEmpty(disk.TableVTables)
	err = cmp.Or(err, errTable)
	if t.Rows > 0 && t.Column(0) != disk.ColumnSymbol {
		return err
	}
	for row := range t.Rows {
		name, nameErr := s.SymbolAt(layout.Ref(t.Cell(0, row)))
		err = cmp.Or(err, nameErr)
		learn(name.String())
	}
	return err
}

// selective reports whether records are copied only on demand.
func (c *selection) selective() bool                  { return c.keep != nil }
func (c *selection) keepsMethod(n layout.Ref) bool    { return !c.selective() || c.keep[n] }
func (c *selection) keepsSomewhere(n layout.Ref) bool { return c.keepsMethod(n) || c.left[n] }

func (c *selection) dropsProfile(p reader.Profile) bool {
	if !c.cold || c.scale.Weight(p) != (weigh.Counts{}) || c.scale.Marks(p) {
		return false
	}
	counted := func(n reader.Counter, ok bool) bool { return ok && n.Trained() > 0 }
	return !counted(p.Backedges()) && !counted(p.Interpreted())
}

func (c *selection) countProfile(p reader.Profile) (weight weigh.Counts) {
	c.out.Profiles++
	for section := disk.SectionData; section < disk.SectionDirectory; section++ {
		for range p.Section(section) {
			c.out.Entries++
		}
	}
	return c.scale.Weight(p)
}

// replaceValues copies the functions at an LLVM value site, and replaces their IDs by the IDs of the new names.
func (t *reduction) replaceValues(raw disk.Entry) error {
	schema, ok := disk.SchemaOf(raw.Tag())
	if !ok || !schema.HasKind(disk.CellValue) || !t.llvm || raw.Sub() == layout.SubMemOpSize {
		return nil
	}
	for i := range raw.Rows() {
		if raw.Sub() == layout.SubIndirectCall && t.selective() {
			if err := t.copyFunction(raw.Cell(2 * i)); err != nil {
				return err
			}
		}
		raw.SetCell(2*i, t.replaceID(raw.Cell(2*i)))
	}
	return nil
}

func (t *reduction) copyFunction(id uint64) error {
	m, err := t.s.FindID(id)
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		return nil
	}
	if err == nil {
		_, err = t.copier.MethodRef(m.Ref())
	}
	return err
}

func (t *reduction) replaceWord(of disk.TableKind, column int, v uint64) uint64 {
	if of == disk.TableTraces && column == 2 {
		return t.replaceID(v)
	}
	return v
}

func (c *selection) replaceID(id uint64) uint64 {
	if !c.llvm || c.names == nil || id == 0 || c.known[id] {
		return id
	}
	return disk.NameRef(c.names.hashFunctionID(id))
}

type rowSelection struct {
	*selection
	s     *reader.Store
	t     *reader.Table
	whole bool // drop the whole table
	group bool // keep the current stack
}

// dropsTable reports whether a whole table is dropped. The table of dumps in a merged archive is rebuilt.
func (c *selection) dropsTable(t *reader.Table) bool {
	switch t.Kind {
	case disk.TableOrder, disk.TableOrderRuns, disk.TableDumps:
		return true
	// the base has other names, and function ids in stacks reveal theirs
	case disk.TableAllocations, disk.TableAllocationCalls, disk.TableForeign, disk.TableClassPath, disk.TableCode,
		disk.TableFunctions, disk.TableBase, disk.TableObjects:
		return c.names != nil
	case disk.TableProperties, disk.TableMonitors, disk.TableSamples, disk.TableBinaryIDs, disk.TableTraces,
		disk.TableVTables,
		disk.TableHeapRefs, disk.TableHeapUse, disk.TableInstances, disk.TableThreads, disk.TableReflected,
		disk.TableRuns,
		disk.TableCompilations, disk.TableInlining, disk.TableMoved, disk.TableCertain, disk.TableInputs,
		disk.TableLosses, disk.TableVersions, disk.TableAdvice, disk.TableHot:
		return false
	}
	return c.names != nil // an unknown table may hold names
}

func (c *rowSelection) keepsRow(row int) (bool, error) {
	stays, err := c.decideRow(row)
	relisted := c.t.Kind == disk.TableDumps && c.s.Header().Flags&disk.FlagMerged != 0
	if err == nil && !stays && !relisted {
		c.out.Rows[c.t.Kind]++
	}
	return stays, err
}

func (c *rowSelection) decideRow(row int) (bool, error) {
	switch {
	case c.whole:
		return false, nil
	case c.t.Kind == disk.TableProperties && c.names != nil:
		return c.isAnonymous(row)
	case c.t.Kind == disk.TableSamples && c.selective():
		return c.keepsSample(row), nil
	case c.t.Kind == disk.TableTraces && c.selective():
		return c.keepsTrace(row)
	case c.t.Kind == disk.TableCode, c.t.Kind == disk.TableFunctions, c.t.Kind == disk.TableMoved:
		return c.keepsMethod(layout.Ref(c.t.Cell(0, row))), nil
	case c.t.Kind == disk.TableCompilations:
		return c.keepsSomewhere(layout.Ref(c.t.Cell(0, row))), nil
	case c.t.Kind == disk.TableInlining && c.selective():
		return c.keepsInlining(row)
	case c.t.Kind == disk.TableCertain, c.t.Kind == disk.TableAdvice:
		return c.keepsProfile(layout.Ref(c.t.Cell(0, row)))
	}
	return true, nil
}

func (c *rowSelection) keepsProfile(n layout.Ref) (bool, error) {
	if n == 0 {
		return false, nil
	}
	p, err := c.s.ProfileAt(n)
	if err != nil {
		return false, err
	}
	m, err := p.Method()
	return err == nil && c.keepsMethod(m.Ref()) && !c.dropsProfile(p), err
}

// isAnonymous reports whether a property is a number that merges add, or the VM's list of trap reasons.
func (c *rowSelection) isAnonymous(row int) (bool, error) {
	if c.t.Columns() != 2 || c.t.Column(0) != disk.ColumnSymbol || c.t.Column(1) != disk.ColumnSymbol {
		return false, nil
	}
	key, err1 := c.t.Text(0, row)
	value, err2 := c.t.Text(1, row)
	_, notNumber := strconv.ParseUint(value, 10, 64)
	number := disk.MergedProperty(key) != disk.PropertyKept && notNumber == nil
	reasons := key == disk.PropertyTrapReasons && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789_,") == ""
	return number || reasons, errors.Join(err1, err2)
}

func (c *rowSelection) keepsSample(row int) bool {
	if row == 0 || c.t.Cell(0, row) != c.t.Cell(0, row-1) {
		c.group = c.keptStacks[row]
	}
	return c.group
}

func (c *rowSelection) keepsInlining(row int) (bool, error) {
	n := layout.Ref(c.t.Cell(0, row))
	if n == 0 {
		return true, nil // call without a method
	}
	node, err := c.s.ContextAt(n)
	if err != nil {
		return false, err
	}
	outermost, err := node.Caller()
	return err == nil && c.keepsSomewhere(outermost.Caller.Ref()), err
}

func (c *rowSelection) keepsTrace(row int) (bool, error) {
	if c.t.Columns() != 3 {
		return false, nil
	}
	m, err := c.s.FindID(c.t.Cell(2, row))
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		return true, nil
	}
	return err == nil && c.keepsSomewhere(m.Ref()), err
}

func (c *selection) chooseMethods(s *reader.Store, r *Options) error {
	all, errAll := weigh.Methods(c.ctx, s)
	stacks, errStacks := stacksOf(s)
	if err := cmp.Or(errAll, errStacks); err != nil {
		return err
	}
	for u := range disk.NumCountUnits {
		c.out.all[u] = all.Total(u)
	}
	c.out.allSamples, c.out.samples = stacks.totalSamples(), stacks.totalSamples()
	if r.Hot == 0 && !r.DropCold && r.Methods == nil && r.Base == nil {
		return nil
	}
	c.keep = map[layout.Ref]bool{}
	stacks, err := chooseStacks(s, stacks, r)
	if err != nil {
		return err
	}
	c.out.samples = stacks.totalSamples()
	c.keptStacks = map[int]bool{}
	for _, stack := range stacks.list {
		c.keptStacks[stack.first] = true
	}
	if r.Hot > 0 {
		err = c.chooseHot(s, r, all)
	} else {
		err = c.chooseWarm(s, r)
	}
	if err != nil || r.Hot == 0 && !r.DropCold {
		return err
	}
	return c.keepNamed(s, r, stacks)
}

func chooseStacks(s *reader.Store, all sampledStacks, r *Options) (sampledStacks, error) {
	stacks, err := all.filterStacks(func(stack sampledStack) (bool, error) {
		if r.Hot == 0 && r.DropCold && stack.count == 0 {
			return false, nil
		}
		return isSelectedAt(s, layout.Ref(all.t.Cell(1, stack.first)), r.Methods)
	})
	if err == nil && r.Hot > 0 {
		stacks = stacks.hottestStacks(r.Hot)
	}
	return stacks, err
}

func (c *selection) chooseHot(s *reader.Store, r *Options, all *weigh.Weights) (err error) {
	if r.Methods != nil {
		all, err = weigh.Selected(c.ctx, s, r.Methods)
		if err != nil {
			return err
		}
	}
	all.EachNeeded(r.Hot, func(m layout.Ref) { c.keep[m] = true })
	for _, m := range all.Marked() {
		c.keep[m] = true
	}
	return nil
}

func (c *selection) chooseWarm(s *reader.Store, r *Options) error {
	return poll.Each(poll.New(c.ctx), s.Methods(), func(m reader.Method) error {
		stays, err := weigh.Allowed(m, r.Methods)
		if err == nil && stays && r.DropCold {
			stays, err = c.hasCounts(m)
		}
		if err == nil && stays {
			c.keep[m.Ref()] = true
		}
		return err
	})
}

// keepNamed keeps the selected methods on stacks.
func (c *selection) keepNamed(s *reader.Store, r *Options, stacks sampledStacks) error {
	for _, stack := range stacks.list {
		for row := range stack.rows {
			n := layout.Ref(stacks.t.Cell(1, stack.first+row))
			if n == 0 || c.keep[n] {
				continue
			}
			stays, err := isSelectedAt(s, n, r.Methods)
			if err != nil {
				return err
			}
			if stays {
				c.keep[n] = true
			}
		}
	}
	return nil
}

// isSelectedAt reports whether the method with the record at n is selected. An unknown one, with n 0, is if all are.
func isSelectedAt(s *reader.Store, n layout.Ref, may func(layout.Key) bool) (bool, error) {
	if may == nil || n == 0 {
		return may == nil, nil
	}
	m, err := s.MethodAt(n)
	if err != nil {
		return false, err
	}
	return weigh.Allowed(m, may)
}

// sampledStacks holds stacks of the table of samples. Samples are never added to counts, because their units differ.
type sampledStacks struct {
	t    reader.Table
	list []sampledStack
}

type sampledStack struct {
	first, rows int
	count       uint64
}

func stacksOf(s *reader.Store) (sampledStacks, error) {
	t, err := s.TableOrEmpty(disk.TableSamples)
	stacks := sampledStacks{t: t}
	for row := range t.Rows {
		if row == 0 || t.Cell(0, row) != t.Cell(0, row-1) {
			stacks.list = append(stacks.list, sampledStack{first: row, count: t.Cell(3, row)})
		}
		stacks.list[len(stacks.list)-1].rows++
	}
	return stacks, err
}

func (s sampledStacks) filterStacks(holds func(sampledStack) (bool, error)) (some sampledStacks, err error) {
	some.t = s.t
	for _, stack := range s.list {
		held, err := holds(stack)
		if err != nil {
			return some, err
		}
		if held {
			some.list = append(some.list, stack)
		}
	}
	return some, nil
}

// hottestStacks returns the fewest stacks with a given part of all samples; layout.WeightOne is all. Equal stacks are
// in the order of their methods' keys from the leaf on.
func (s sampledStacks) hottestStacks(part layout.Weight) sampledStacks {
	sorted := slices.Clone(s.list)
	slices.SortStableFunc(sorted, func(a, b sampledStack) int {
		return cmp.Or(cmp.Compare(b.count, a.count), s.compareFrames(a, b))
	})
	n := weigh.Needed(len(sorted), func(i int) uint64 { return sorted[i].count }, s.totalSamples(), part)
	return sampledStacks{s.t, sorted[:n]}
}

func (s sampledStacks) compareFrames(a, b sampledStack) int {
	for i := range min(a.rows, b.rows) {
		for column := 1; column <= 2; column++ {
			if c := cmp.Compare(s.t.Cell(column, a.first+i), s.t.Cell(column, b.first+i)); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(a.rows, b.rows)
}

func (s sampledStacks) totalSamples() (sum weigh.Wide) {
	for _, stack := range s.list {
		sum = sum.Plus(stack.count)
	}
	return sum
}
