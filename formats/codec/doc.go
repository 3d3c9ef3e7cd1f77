// Package codec holds what the formats share with package formats, their registry: the interfaces [Importer]
// and [Exporter], the options that they declare, and the list of what a conversion loses.
//
// Package formats says how a format is added, and has aliases of what its callers
// need: programs that only import and export need not import this package.
package codec
