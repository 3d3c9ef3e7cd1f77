// Package schema names the parts of the file format that commands show: sections, tables, columns, units and versions.
// Its names are aliases, since internal/file/disk is closed to commands, and layout has only what users of the library
// write.
package schema

import (
	"bytes"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

type BlockSection = disk.BlockSection

// Sections of a profile, in order. SectionDirectory follows the last.
const (
	SectionData       = disk.SectionData
	SectionExtra      = disk.SectionExtra
	SectionParameters = disk.SectionParameters
	SectionHandlers   = disk.SectionHandlers
	SectionDirectory  = disk.SectionDirectory
)

// Kinds of tables.
const (
	TableAllocations  = disk.TableAllocations
	TableCertain      = disk.TableCertain
	TableCompilations = disk.TableCompilations
	TableDumps        = disk.TableDumps
	TableFunctions    = disk.TableFunctions
	TableInputs       = disk.TableInputs
	TableSamples      = disk.TableSamples
	TableShapes       = disk.TableShapes
)

// PropertyRun is the property with the name of the run, and OutcomeNoNull the certain outcome of a type check that saw
// no null.
const (
	PropertyRun   = disk.PropertyRun
	TypeSamples   = disk.TypeSamples
	OutcomeNoNull = disk.OutcomeNoNull
)

// Kinds of columns, and forms of their words.
const (
	ColumnWord = disk.ColumnWord
	FormPlain  = disk.FormPlain
	FormSigned = disk.FormSigned
	FormTime   = disk.FormTime
	FormWeight = disk.FormWeight
)

// Kinds of class path elements with a checksum.
const (
	ContentFile      = disk.ContentFile
	ContentDirectory = disk.ContentDirectory
)

// SubTotal is the sub of the samples in a function with its inlined calls.
const SubTotal = disk.SubTotal

// Flags of archives and methods, and the unit of executions.
const (
	FlagMerged     = disk.FlagMerged
	MethodSharedID = disk.MethodSharedID
	UnitExecutions = disk.UnitExecutions
)

// Version is the version of the format that this program writes.
const Version = disk.Version

// VersionString formats a version of the format, such as "draft 7" or "1".
func VersionString(v uint32) string { return disk.VersionString(v) }

// MagicSize is the number of bytes that IsArchive needs.
const MagicSize = len(disk.Magic)

// IsArchive reports whether head, the first MagicSize bytes of a file, begins an archive.
func IsArchive(head []byte) bool { return bytes.Equal(head, disk.Magic[:]) }

// AddCounts returns a + b, or the highest uint64 if that overflows.
func AddCounts(a, b uint64) uint64 { return disk.SaturatingAdd(a, b) }

func UnpackSuccessor(cell uint64) (point int32, index uint32) { return disk.UnpackSuccessor(cell) }

// UnitName returns the name of a unit in archives of a domain.
func UnitName(u layout.CountUnit, d layout.Domain) string { return disk.UnitName(u, d) }

func LoaderName(identity string) string { return disk.LoaderName(identity) }

func ExitCode(code int) layout.Exit { return disk.ExitCode(code) }

func ExitSignal(number int) layout.Exit { return disk.ExitSignal(number) }
