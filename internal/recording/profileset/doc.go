// Package profileset holds what a builder records: symbols, types, methods, contexts,
// profiles, tables and runs, and the contents of the header.
//
// builder is the public face of a [Set], merge and reduce put whole archives into it, and archivewriter
// writes it out. Its errors begin with "builder: ", since users meet it there.
package profileset
