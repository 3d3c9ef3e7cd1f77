// Package codec declares the interfaces of a format, which are [Importer] and [Exporter]. It also declares their
// options, and the list of a conversion's losses. Its example is a whole importer.
//
// Package formats contains the formats of this module, runs importers and exporters, and explains how to add a format.
package codec
