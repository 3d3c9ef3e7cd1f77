// Package codec declares the interfaces of a format, [Importer] and [Exporter], the options that they
// declare, and the list of what a conversion loses. Its example is a whole importer.
//
// Package formats has the formats of this module, and runs importers and exporters. It says how a format is added.
package codec
