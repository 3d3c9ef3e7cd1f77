// Package disk encodes and decodes the parts of an archive: header, page checksums, hash index, records, MethodData
// blocks, profile entries and tables. It holds the schema of profile entries. Package layout has the types that
// programs outside the module share, such as keys, tags and the header, and draws the format.
//
// Everything here is a pure function, a small value that encodes and decodes itself, or an overlay. An overlay is a
// typed view of bytes that it does not own. Overlays check every offset and size against these bytes.
package disk
