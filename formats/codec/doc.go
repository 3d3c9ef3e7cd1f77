// Package codec holds what the formats share with package formats, their
// registry: the interfaces [Importer] and [Exporter], the options that they
// declare, and the list of what a conversion loses.
package codec
