package live

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
)

// addCompilations records the compiled code of the recorded methods and of methods without a profile. Code of one
// method, level and entry is numbered in the order of the VM's ids.
func (b *build) addCompilations(o *Options) error {
	methods, err := b.compiledMethods(o)
	if err != nil {
		return err
	}
	code := slices.Clone(b.snap.code)
	slices.SortFunc(code, func(x, y compilation) int { return cmp.Compare(x.id, y.id) })
	type kind struct {
		method builder.MethodRef
		level  uint8
		point  int32
	}
	numbers := map[kind]uint64{}
	for _, c := range code {
		m, ok := methods[c.method]
		if !ok {
			continue
		}
		k := kind{m, c.level, c.point}
		numbers[k]++
		var installed uint64
		if c.installed {
			installed = 1
		}
		b.Internal().Table(disk.TableCompilations, 0).Row(uint64(m), uint64(c.level), uint64(c.point), numbers[k],
			uint64(c.id), uint64(c.size), 1, installed)
		b.report.Compilations++
	}
	return b.meter.end
}

// markCompiled marks the methods with a profile that have code, including discarded code.
func (s *snapshot) markCompiled() {
	compiled := map[uint64]bool{}
	for _, c := range s.code {
		compiled[c.method] = true
	}
	for i := range s.methods {
		s.methods[i].compiled = s.methods[i].compiled || compiled[s.methods[i].addr]
	}
}

func (b *build) compiledMethods(o *Options) (map[uint64]builder.MethodRef, error) {
	methods := map[uint64]builder.MethodRef{}
	compiled := map[uint64]bool{}
	for _, c := range b.snap.code {
		compiled[c.method] = true
		if m, ok := b.methods[c.method]; ok && b.taken[m] {
			methods[c.method] = m
		}
	}
	for i := range b.snap.unprofiled {
		f := profiledMethod{methodData: &b.snap.unprofiled[i]}
		if !compiled[f.addr] || !b.namePlain(&f) || !o.selectsUnprofiled(&f) {
			continue
		}
		if err := b.spendOnNames(&f); err != nil {
			return nil, err
		}
		m := b.internMethod(f.addr, &f.methodName, f.klassName)
		b.Internal().DescribeMethod(m, f.access, 0)
		methods[f.addr] = m
	}
	return methods, nil
}

func (b *build) namePlain(f *profiledMethod) bool {
	var err1, err2 error
	f.klassName, err1 = b.classAt(f.methodData.klass)
	f.methodName, err2 = b.names.readConstMethod(f.constMethod)
	return err1 == nil && err2 == nil
}

// selectsUnprofiled reports whether the options select compiled code without a profile, whose calls are unknown.
func (o *Options) selectsUnprofiled(f *profiledMethod) bool {
	return o.MinInvocations == 0 && (o.Class == nil || o.Class(f.klassName.name))
}
