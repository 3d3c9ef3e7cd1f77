// Package profileset holds the records of a builder. These are symbols, types, methods, contexts, profiles, tables and
// runs, and the content of the header.
//
// builder is the public interface of a [Set], merge and reduce put whole archives into it, and archivewriter writes it
// to a file. Errors begin with "builder: " because users meet them there.
package profileset
