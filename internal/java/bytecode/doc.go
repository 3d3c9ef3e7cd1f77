// Package bytecode reads the bytecodes of a method, as a class file has them or as a VM has rewritten them:
// their sizes, the id of the code, and the profile points that HotSpot's MethodData has for them.
package bytecode
