// Package bytecode decodes the bytecodes of a method, from a class file or in the form that a VM has rewritten. It
// computes their sizes, the code id, and the profile points that HotSpot's MethodData has for them.
package bytecode
