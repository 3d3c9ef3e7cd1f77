// Package pprof reads and writes profile.proto, the profile format of pprof and of Go, compressed by gzip.
//
// # Reading
//
// [Importer] converts profiles to archives of domain sampled, which keep one type of values, or a count and its time
// (see [Importer].SampleType). It also reads the binary CPU profiles of gperftools. docs/format-tables.md defines the
// conversion of stacks and edges. The decoder makes two passes over the bytes of a profile and decodes samples one by
// one. Its memory is a small multiple of the profile. For several profiles it is a multiple of the largest one and of
// the merged archive.
//
// Profiles are not trusted. All references must resolve. Since inlined calls can expand a stack, the total number of
// frames is limited in proportion to the size of the profile.
//
// # Writing
//
// The stacks of an archive of domain sampled become samples with lines, files and start lines of functions. In other
// domains, the sampled stacks become samples of type samples/count. The counters of a method become a sample with one
// frame and types such as "invocations/count" (see stacks.Counters). The other values of a sample are 0. The calling
// contexts of instrumented profiles are merged and not written as stacks, because they are inlining paths. No value of
// such an archive is a time.
package pprof
