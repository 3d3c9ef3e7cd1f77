package fit

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/scopes"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// minCounters is the minimum number of counters, or probes, of a function that its hash alone identifies under another
// name. Many small functions have the same control flow.
const minCounters = 4

// A functionRenamer finds functions of LLVM under other names. It pairs functions that the program lacks with functions
// that the archive lacks, if there is exactly one of each.
type functionRenamer struct {
	renames
	gone, fresh []function
}

// A function is one that only the archive or only the program has. Its name is "" once it has a partner.
type function struct {
	name     string
	hashes   []uint64
	method   reader.Method // in the archive
	counters int           // in the archive, the most counters of a profile, or all probes
}

func findRenamedFunctions(ctx context.Context, s *reader.Store, against Code, list methodcode.FunctionList) (renames,
	error) {
	r := &functionRenamer{}
	r.methods = map[layout.Ref]renamed{}
	r.unsure = map[layout.Ref]string{}
	if err := r.listGone(ctx, s, against, list); err != nil || len(r.gone) == 0 {
		return r.renames, err
	}
	for _, spelling := range []func(string) string{withoutFolder, withoutFile, withoutCrateHash, withoutParameters} {
		r.matchSpelling(spelling)
	}
	r.matchHashes()
	return r.renames, nil
}

// listGone lists the functions that only the archive has, and the ones that only the program has.
func (r *functionRenamer) listGone(ctx context.Context, s *reader.Store, against Code,
	list methodcode.FunctionList) error {
	has := map[string][]uint64{}
	var order []string
	list.Functions(func(name string, versions []methodcode.Version) bool {
		order = append(order, name)
		has[name] = []uint64{}
		for _, v := range versions {
			has[name] = append(has[name], v.ID)
		}
		return true
	})
	known := map[string]bool{}
	err := entries.EachMethod(ctx, s, func(m reader.Method, k layout.Key) error {
		known[k.Name] = true
		a, err := against.Method(k)
		if err != nil || a.Presence != methodcode.NoMethod {
			return err
		}
		g, err := newGoneFunction(m, k.Name)
		r.gone = append(r.gone, g)
		return err
	})
	for _, name := range order {
		if !known[name] {
			r.fresh = append(r.fresh, function{name: name, hashes: has[name]})
		}
	}
	return err
}

func newGoneFunction(m reader.Method, name string) (g function, err error) {
	g = function{method: m, name: name}
	for p := range poll.Values(m.Profiles(), &err) {
		g.hashes = append(g.hashes, p.Code())
		for e := range p.Entries() {
			if rows, ok := e.Rows(); ok && e.Tag() == layout.TagCounters {
				g.counters = max(g.counters, rows.Len())
			}
			if e.Tag() == layout.TagCount && e.Sub() == layout.SubSamples {
				g.counters++
			}
		}
	}
	return g, err
}

// matchSpelling pairs functions whose names are equal in a spelling that leaves something out.
func (r *functionRenamer) matchSpelling(spelling func(string) string) {
	spelled := func(f *function) []string {
		if short := spelling(f.name); short != "" {
			return []string{short}
		}
		return nil
	}
	r.match(spelled, func(*function) bool { return true })
}

// matchHashes pairs functions with equal hashes.
func (r *functionRenamer) matchHashes() {
	hashes := func(f *function) (keys []string) {
		for _, h := range f.hashes {
			keys = append(keys, strconv.FormatUint(h, 16))
		}
		return keys
	}
	r.match(hashes, func(gone *function) bool { return gone.counters >= minCounters })
}

// match pairs gone and fresh functions that share a key with no other ones. A pair that is not sure is only named.
func (r *functionRenamer) match(keys func(*function) []string, sure func(gone *function) bool) {
	gone := indexByKey(r.gone, keys)
	fresh := indexByKey(r.fresh, keys)
	for i := range r.gone {
		g := &r.gone[i]
		for _, key := range keys(g) {
			if len(gone[key]) != 1 || len(fresh[key]) != 1 || r.fresh[fresh[key][0]].name == "" || g.name == "" {
				continue
			}
			f := &r.fresh[fresh[key][0]]
			if !sure(g) {
				r.unsure[g.method.Ref()] = f.name
				continue
			}
			r.addRename(g, f)
			break
		}
	}
}

// addRename records a pair, and takes both out of later matches.
func (r *functionRenamer) addRename(g, f *function) {
	to := layout.Key{Name: f.name}
	same := 0
	if slices.ContainsFunc(g.hashes, func(h uint64) bool { return slices.Contains(f.hashes, h) }) {
		same = 1
	}
	r.addMethod(g.method.Ref(), layout.Key{Name: g.name}, to, same)
	delete(r.unsure, g.method.Ref())
	g.name = ""
	f.name = ""
}

func indexByKey(all []function, keys func(*function) []string) map[string][]int {
	index := map[string][]int{}
	for i := range all {
		for _, key := range keys(&all[i]) {
			index[key] = append(index[key], i)
		}
	}
	return index
}

// withoutFolder spells a local function with the base name of its file.
func withoutFolder(name string) string {
	file, function, ok := scopes.SplitLocal(name)
	if !ok {
		return ""
	}
	return file[strings.LastIndexAny(file, `/\`)+1:] + ";" + function
}

// withoutFile spells a local function without its file, and a global one as it is. The function may have become global.
func withoutFile(name string) string {
	if _, function, ok := scopes.SplitLocal(name); ok {
		return function
	}
	return name
}

// crateHash matches the parts of a mangled name that change with each build of a crate of Rust, and the suffixes that
// link-time optimization adds.
var crateHash = lazyregexp.New(`17h[0-9a-f]{16}E|Cs[0-9A-Za-z]+_|\.llvm\.[0-9]+|\.__uniq\.[0-9]+`)

// withoutCrateHash spells a mangled name without the parts that the build of a crate determines.
func withoutCrateHash(name string) string {
	if !crateHash().MatchString(name) {
		return ""
	}
	return crateHash().ReplaceAllString(name, "E")
}

// withoutParameters spells a mangled name of C++ without its parameters.
func withoutParameters(name string) string {
	_, function, local := scopes.SplitLocal(name)
	if !local {
		function = name
	}
	short, err := demangle.ToString(function, demangle.NoParams, demangle.NoClones, demangle.MaxLength(16))
	if err != nil {
		return ""
	}
	return short
}

func (c *checker) noMethodReason() string {
	switch {
	case c.s.Header().Domain.LLVM():
		return "the program has no counters of it: it was removed, renamed or inlined, or is in a library to name as well"
	case c.ofFunctions():
		return "the program has no probes of it: it was removed or renamed, or is in a library"
	}
	return "there is no such method"
}

// isContextSensitive reports whether LLVM made a hash in the second instrumentation, after inlining. Bit 60 says so.
func isContextSensitive(hash uint64) bool { return hash&(1<<60) != 0 }

// otherStageReason returns why a hash cannot be compared if all versions are of the other instrumentation, before or
// after inlining; otherwise "".
func otherStageReason(hash uint64, versions []methodcode.Version) string {
	after := isContextSensitive(hash)
	same := func(v methodcode.Version) bool { return isContextSensitive(v.ID) == after }
	switch {
	case slices.ContainsFunc(versions, same):
		return ""
	case after:
		return "counted after inlining: only a program built with -fcs-profile-generate tells"
	}
	return "counted before inlining: only a program built with -fprofile-generate tells"
}
