package display

import (
	"cmp"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
)

var tableNames = map[disk.TableKind]string{
	disk.TableOrder: "source order", disk.TableOrderRuns: "runs of the source order",
	disk.TableProperties: "properties", disk.TableDumps: "dumps",
	disk.TableMonitors: "monitors", disk.TableSamples: "samples", disk.TableBinaryIDs: "binary ids",
	disk.TableTraces: "temporal traces", disk.TableVTables: "vtables", disk.TableHeapRefs: "heap references",
	disk.TableHeapUse: "heap use", disk.TableInstances: "instances", disk.TableThreads: "threads",
	disk.TableReflected: "reflected classes", disk.TableForeign: "foreign keys",
	disk.TableRuns: "runs", disk.TableClassPath: "class path", disk.TableCode: "sketches of code",
	disk.TableShapes:       "shapes of entries",
	disk.TableCompilations: "compilations", disk.TableInlining: "inlined calls", disk.TableFunctions: "functions",
	disk.TableBase: "base", disk.TableMoved: "moved points",
	disk.TableCertain:     "outcomes that were certain",
	disk.TableAllocations: "allocations", disk.TableAllocationCalls: "calls that lead to allocations",
	disk.TableObjects: "objects",
}

// TableTitle returns the title of a table, unlike the table names of package layout, which users type.
func TableTitle(k disk.TableKind) string {
	return cmp.Or(tableNames[k], fmt.Sprintf("table %d", uint32(k)))
}
