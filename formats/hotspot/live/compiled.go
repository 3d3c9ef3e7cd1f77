package live

// everCompiled reports whether a method was compiled at any time of the run. Its
// compiled code may be gone by now: code that a newly loaded class invalidates is
// discarded, and a program that ends right then has not compiled the method
// again. What remains of a compilation is
//
//   - in MethodCounters the highest level of any compiled code that was
//     installed, and of the code of loops (OSR);
//   - in MethodData the number of C2's compilations that were discarded;
//   - in MethodData what C1 notes of the method when it compiles it with
//     profiling: its blocks, and whether profiling is worth while.
//
// The trap history is no evidence: C2 counts a trap in the method that the
// bytecode belongs to, which may have been inlined and never compiled itself.
// headers is whether the fields that the VM does not export are where they are
// expected; without them there are the code and the discarded compilations.
func (s *schema) everCompiled(f *found, headers bool) bool {
	h := s.header(f.data, f.counters)
	if f.compiled || h.history.Decompiles > 0 {
		return true
	}
	return headers && (h.compile.Level > 0 || h.osrLevel > 0 || h.compile.Blocks > 0 || h.compile.WouldProfile > 0)
}
