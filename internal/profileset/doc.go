// Package profileset holds what a builder was given: symbols, types, methods,
// contexts, profiles and tables, the runs that they are of, and what the header
// of the archive will say.
//
// builder is the public face of a [Set], merge and reduce put whole archives into
// it, and archivewriter writes it out. Its errors begin with "builder: ", since
// users meet it there.
package profileset
