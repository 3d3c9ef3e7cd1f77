// Package disk encodes and decodes the parts of an archive: header, page sums, hash index, records,
// MethodData blocks, profile entries and tables. It holds the schema of profile entries. The words that its
// users share with programs outside the module, such as keys, tags and the header, are in package layout,
// which also draws the format.
//
// Everything here is a pure function, a small value that encodes and decodes
// itself, or an overlay: a typed window on bytes that belong to somebody else.
// Overlays check every offset and size against the bytes that they were given.
package disk
