// Package libstdcxx orders elements as the C++ standard library of GCC does
// where the C++ standard leaves the order of equal elements open.
//
// llvm-profdata is linked with that library, and its output shows the order:
// [Sort] is std::sort, [Heap] is std::priority_queue.
package libstdcxx
