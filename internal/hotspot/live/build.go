package live

import (
	"errors"
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/sketch"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// Properties of a live VM's archive, in disk.TableProperties.
const (
	PropertyVM   = "vm.info"  // VM's description of itself
	PropertyFlag = "vm.flag." // prefix of a flag's name
	// PropertyAdopted is "kept" if the dump includes counts that the VM adopted from an archive.
	PropertyAdopted = "vm.adopted"
)

type build struct {
	*builder.Builder
	vm      *VM
	names   *namer
	shape   disk.Shape
	snap    *snapshot
	loaders map[uint64]string
	report  *Report
	meter   *meter
	at      *profiledMethod // current method, for a defect's message

	klasses     map[uint64]klassName
	hidden      map[string]string // canonical name by the VM's name
	types       map[uint64]builder.TypeRef
	methods     map[uint64]builder.MethodRef
	taken       map[builder.MethodRef]uint64 // class whose method gave the last profile
	keepAdopted bool
	account     account
	// plausibleHeaders is whether the header fields that the VM does not export are plausible.
	plausibleHeaders bool
}

type klassName struct {
	name, loader string
	flags        layout.TypeFlags // whether it is initialized
}

type profiledMethod struct {
	*methodData
	methodName
	klassName
	sections sections
	adopted  bool // whether counts, types or flags of an archive were subtracted
}

func (b *build) buildProfiles(o Options) error {
	b.report.countRefused(RefusedShared, b.snap.shared, nil)
	b.report.countRefused(RefusedTwice, b.snap.duplicates, nil)
	b.snap.markCompiled()
	sound, err := b.readMethods()
	if err != nil {
		return err
	}
	b.plausibleHeaders = b.hasPlausibleHeaders(sound)
	profiles := b.chooseWanted(sound, o)
	b.hidden, err = b.hiddenNames(profiles)
	if err != nil {
		return err
	}
	for i := range profiles {
		b.at = &profiles[i]
		if err := b.addProfile(b.at); err != nil {
			return err
		}
	}
	if err := b.addCompilations(&o); err != nil {
		return err
	}
	b.addProperties()
	b.addAccount()
	return errors.Join(b.meter.end, b.Err())
}

func (b *build) description() string {
	if name := b.at.displayName(); name != "" {
		return "read the profile of " + name
	}
	return "read the profiles of a JVM"
}

func (b *build) readMethods() (profiles []profiledMethod, err error) {
	for i := range b.snap.methods {
		f := profiledMethod{methodData: &b.snap.methods[i]}
		b.at = &f
		why := b.readMethod(&f)
		if err := b.spendOnNames(&f); err != nil {
			return nil, err
		}
		b.account.totals.AddAll(b.totalsOf(&f))
		if why != "" {
			b.report.countRefused(why, 1, &f)
			b.leaveOut(&f, string(why))
			continue
		}
		profiles = append(profiles, f)
	}
	return profiles, nil
}

func (b *build) chooseWanted(sound []profiledMethod, o Options) (profiles []profiledMethod) {
	for i := range sound {
		f := &sound[i]
		switch {
		case b.isUnused(f):
			b.report.Adopted.Unused++
		case !o.selectsProfile(b.vm.schema, f, b.plausibleHeaders):
			b.report.Skipped++
		default:
			profiles = append(profiles, *f)
			continue
		}
		b.leaveOut(f, notSelected)
	}
	return profiles
}

// spendOnNames charges the use of a method's names. After an error reading has ended, and the method may be incomplete.
func (b *build) spendOnNames(f *profiledMethod) error {
	if err := b.meter.countStep(); err != nil {
		return err
	}
	return b.meter.names.spendUnits(len(f.klassName.name) + len(f.methodName.name) + len(f.signature))
}

func (f *profiledMethod) displayName() string {
	if f == nil || f.klassName.name == "" || f.methodName.name == "" {
		return ""
	}
	return strings.ReplaceAll(f.klassName.name, "/", ".") + "::" + f.methodName.name + f.signature
}

func (b *build) readMethod(f *profiledMethod) (why Refusal) {
	if !b.readNames(f) {
		return RefusedName
	}
	if f.refused == nil {
		f.sections, f.refused = b.vm.schema.data.parseSections(f.data, b.shape)
	}
	if f.refused == nil {
		f.refused = b.subtractAdopted(f)
	}
	if f.refused == nil {
		f.refused = b.checkPointers(f)
	}
	if f.refused != nil && !errors.As(f.refused, &why) {
		why = RefusedMemory
	}
	return why
}

func (b *build) checkPointers(f *profiledMethod) (err error) {
	b.eachPointer(f, func(addr uint64, kind disk.CellKind) bool {
		if kind == disk.CellMethod {
			if _, _, e := b.methodAt(addr); e != nil {
				err = RefusedMethod
			}
		} else if _, e := b.classAt(addr); e != nil {
			err = RefusedType
		}
		return err == nil
	})
	return err
}

func (b *build) eachPointer(f *profiledMethod, yield func(addr uint64, kind disk.CellKind) bool) {
	for _, entries := range f.sections {
		for _, e := range entries {
			for cell, kind := range b.shape.Pointers(e) {
				if addr := untagged(e.Cell(cell), kind); addr != 0 && !yield(addr, kind) {
					return
				}
			}
		}
	}
}

func untagged(cell uint64, kind disk.CellKind) uint64 {
	if kind == disk.CellTypeWord {
		return cell &^ (disk.TypeNullSeen | disk.TypeUnknown)
	}
	return cell
}

// classAt returns the name of a class, which must belong to a class loader.
func (b *build) classAt(addr uint64) (klassName, error) {
	if k, ok := b.klasses[addr]; ok {
		return k, nil
	}
	k, ok := b.snap.klasses[addr]
	if !ok {
		return klassName{}, RefusedType
	}
	name, err := b.names.symbolText(k.name)
	if err != nil || name == "" {
		return klassName{}, RefusedType
	}
	out := klassName{name, b.loaders[k.loader], disk.TypeLoaded}
	if k.initialized {
		out.flags |= disk.TypeInitialized
	}
	b.klasses[addr] = out
	return out, nil
}

func (b *build) methodAt(addr uint64) (methodName, klassName, error) {
	m, err := b.names.pointedMethodName(addr)
	if err != nil {
		return methodName{}, klassName{}, err
	}
	k, err := b.classAt(m.holder)
	return m, k, err
}

func (b *build) hiddenNames(profiles []profiledMethod) (map[string]string, error) {
	classes := map[string]bool{}
	seen := map[uint64]bool{}
	add := func(addr uint64) {
		if seen[addr] {
			return
		}
		seen[addr] = true
		if k, err := b.classAt(addr); err == nil && b.meter.names.spendUnits(len(k.name)) == nil {
			classes[javanames.ElementClass(k.name)] = true
		}
	}
	for i := range profiles {
		b.at = &profiles[i]
		add(b.at.klass)
		b.eachPointer(b.at, func(addr uint64, kind disk.CellKind) bool {
			if kind != disk.CellMethod {
				add(addr)
			} else if m, err := b.names.pointedMethodName(addr); err == nil {
				add(m.holder)
			}
			return true
		})
		if err := b.meter.countStep(); err != nil {
			return nil, err
		}
	}
	return javanames.CanonicalHidden(classes), nil
}

// hasPlausibleHeaders reports whether the headers of all methods are plausible. Fields that the VM does not export
// are used for all methods or for none.
func (b *build) hasPlausibleHeaders(profiles []profiledMethod) bool {
	return !slices.ContainsFunc(profiles, func(f profiledMethod) bool {
		h := b.vm.schema.decodeHeader(f.data, f.counters)
		return !b.vm.schema.isPlausible(&h)
	})
}

func (b *build) addProfile(f *profiledMethod) error {
	if err := b.spendOnNames(f); err != nil {
		return err
	}
	m := b.internMethod(f.addr, &f.methodName, f.klassName)
	before := b.taken[m]
	switch before {
	case 0:
		b.addSketch(m, f)
	case f.klass:
		b.report.countRefused(RefusedTwice, 1, f)
		b.leaveOut(f, string(RefusedTwice))
		return nil
	default: // the same class of another loader
		b.Internal().NextRun(profileset.RunRules{})
	}
	b.taken[m] = f.klass
	b.Internal().DescribeMethod(m, f.access, 0)
	p := b.ProfileIn(m, bytecode.CodeID(f.code), profileset.NoContext)
	b.setHeader(p, f)
	for section, entries := range f.sections {
		for _, e := range entries {
			b.joinReceivers(e)
			p.Internal().Copy(disk.BlockSection(section), e, func(cell int, kind disk.CellKind) uint64 {
				return b.cellReference(untagged(e.Cell(cell), kind), kind)
			})
			b.report.Entries++
		}
	}
	if tag := f.sections.undecodedTag(); tag != 0 {
		b.report.countUndecoded(tag, f)
	}
	b.report.Methods++
	return p.Done()
}

// joinReceivers adds up the rows of an entry whose types are the same class of several loaders.
func (b *build) joinReceivers(e disk.Entry) {
	if !hasReceivers(e) {
		return
	}
	first := map[klassName]int{}
	joined := false
	for row := range b.shape.TypeRows {
		at := b.shape.ReceiverRow(row)
		if e.Cell(at) == 0 {
			continue
		}
		k, _ := b.classAt(e.Cell(at))
		if to, ok := first[k]; ok {
			e.SetCell(to+1, disk.SaturatingAdd(e.Cell(to+1), e.Cell(at+1)))
			e.SetCell(at, 0)
			e.SetCell(at+1, 0)
			joined = true
			continue
		}
		first[k] = at
	}
	if joined {
		moveReceivers(b.shape, e)
	}
}

// addSketch records the sketch of a method's code, except for hidden classes, which are not matched in another run.
func (b *build) addSketch(m builder.MethodRef, f *profiledMethod) {
	if _, hidden := b.hidden[f.klassName.name]; hidden {
		return
	}
	code, ok := b.names.instructions(&f.methodName)
	if !ok {
		return
	}
	if bytes := sketch.EncodeSketch(code, bytecode.CodeID(f.code)); bytes != nil {
		t := b.Internal().Table(disk.TableCode, 0)
		t.Row(uint64(m), uint64(b.Internal().Symbol(string(bytes))))
	}
}

func (b *build) setHeader(p *builder.Profile, f *profiledMethod) {
	h := b.vm.schema.decodeHeader(f.data, f.counters)
	p.Invocations(h.invocations)
	p.Backedges(h.backedges)
	p.Interpreted(h.interpreted)
	p.Internal().SetSize(profileset.CodeSize{Code: uint32(len(f.code)), Host: uint32(len(f.data))})
	p.Internal().SetHistory(h.history)
	if b.plausibleHeaders {
		p.Internal().SetCompilation(h.compile)
	}
	if h.escape != (profileset.Escape{}) {
		p.Internal().SetEscape(h.escape)
	}
	if slices.ContainsFunc(h.traps, func(n byte) bool { return n != 0 }) {
		p.Internal().PutTraps(h.traps)
	}
}

func (b *build) cellReference(addr uint64, kind disk.CellKind) uint64 {
	switch {
	case addr == 0:
		return 0
	case kind != disk.CellMethod:
		return uint64(b.internTypeAt(addr))
	}
	if m, ok := b.methods[addr]; ok {
		return uint64(m)
	}
	m, k, err := b.methodAt(addr)
	if err != nil || b.spendOnNames(&profiledMethod{methodName: m, klassName: k}) != nil {
		return 0
	}
	return uint64(b.internMethod(addr, &m, k))
}

func (b *build) internMethod(addr uint64, m *methodName, k klassName) builder.MethodRef {
	if ref, ok := b.methods[addr]; ok {
		return ref
	}
	class := k.name
	made := javanames.IsNumbered(k.name)
	if canonical, ok := b.hidden[k.name]; ok {
		class, made = canonical, true
	}
	b.internType(k)
	ref := b.Method(layout.Key{Class: class, Name: m.name, Signature: m.signature, Loader: k.loader})
	if made {
		b.Internal().DescribeMethod(ref, 0, layout.MethodNotMatchable)
	}
	b.methods[addr] = ref
	return ref
}

func (b *build) internTypeAt(addr uint64) builder.TypeRef {
	if ref, ok := b.types[addr]; ok {
		return ref
	}
	_ = b.meter.names.spendUnits(len(b.klasses[addr].name))
	ref := b.internType(b.klasses[addr])
	b.types[addr] = ref
	return ref
}

func (b *build) internType(k klassName) builder.TypeRef {
	key := builder.TypeKey{Name: k.name, Loader: k.loader}
	ofVM := ""
	class := javanames.ElementClass(k.name)
	if canonical, hidden := b.hidden[class]; hidden {
		key.Name = strings.Replace(k.name, class, canonical, 1)
		ofVM = k.name
		k.flags |= layout.TypeHidden | layout.TypeNotMatchable
	} else if javanames.IsNumbered(class) {
		k.flags |= layout.TypeNotMatchable
	}
	t := b.Type(key)
	b.Internal().DescribeType(t, ofVM, k.flags)
	return t
}

func (b *build) addProperties() {
	set := b.Internal().AddProperty
	set(PropertyVM, b.vm.info)
	if a := b.snap.adopted; b.keepAdopted && (a.unreadable || a.wrote) {
		set(PropertyAdopted, "kept")
	}
	b.describeKept()
	set(hotspot.PropertyInterpreted, hotspot.OwnInterpreted)
	if _, ok := b.vm.flags["EnableJVMCI"]; !ok {
		set(hotspot.PropertyReasons, "plain")
	}
	if reasons := b.vm.trapReasons(); reasons != "" {
		set(disk.PropertyTrapReasons, reasons)
	}
	for _, name := range shapingFlags {
		if value, ok := b.vm.flags[name].valueText(b.names.src); ok {
			set(PropertyFlag+name, value)
		}
	}
}
