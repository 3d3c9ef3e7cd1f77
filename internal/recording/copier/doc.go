// Package copier copies archives into a profileset.Set.
//
// A [Copier] reads every record of an archive, interns the records it refers to, and records its profiles with
// references in the place of pointers. Its [Hooks] change the copy on the way: merging weighs rows of tables,
// reducing leaves out cold profiles, anonymizing renames, and adapting to new code moves entries.
package copier
