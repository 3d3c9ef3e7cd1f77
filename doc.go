// Package profarc is the root of an archive for execution profiles: one file
// format, one library, one command. A program dumps the profile of a training
// run into an archive; the next start maps the archive and adopts the profiles
// where they lie.
//
// The packages, from the bytes upward:
//
//   - layout: the bytes of the format
//   - relocate: the pointers in a mapping, and how they are moved
//   - archive: the file as a whole: publish, open, check, map, close
//   - reader: look profiles up, read them in place, adopt them
//   - builder: take profiles in, lay an archive out
//   - formats: what other tools write, in and out
//   - cmd/profarc: the command
//
// docs/format.md specifies the format, docs/design.md says why it is so.
package profarc
