// Package copier copies archives into a profileset.Set.
//
// A [Copier] reads every record of an archive, interns the records that it refers to, and records its profiles with
// references instead of pointers. [Hooks] change the copy on the way. They scale the rows of tables for a merge, leave
// out cold profiles, anonymize names, and adapt entries to new code.
package copier
