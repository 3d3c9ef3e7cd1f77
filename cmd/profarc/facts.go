package main

import (
	"encoding/hex"
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// settingNames are the names of a header's settings.
var settingNames = map[int]string{
	layout.ParamTypeProfileWidth: "TypeProfileWidth",
	layout.ParamBciProfileWidth:  "BciProfileWidth",
	layout.ParamReceiverGap:      "receiver gap cells",
	layout.ParamTypeProfileLevel: "TypeProfileLevel",
	layout.ParamVMRelease:        "VM release",
	layout.ParamLLVMVersion:      "LLVM index version",
	layout.ParamLLVMVariant:      "LLVM variant bits",
	layout.ParamProfileTraps:     "ProfileTraps",
	layout.ParamLLVMNewest:       "LLVM index version, newest possible",
}

// A setting is one that an archive says something of.
type setting struct {
	Name  string `json:"name"`
	Value uint32 `json:"value"`
}

// settingsOf gives the settings that are not 0.
func settingsOf(p layout.Params) []setting {
	list := []setting{}
	for i, v := range p {
		if v == 0 {
			continue
		}
		name, ok := settingNames[i]
		if !ok {
			name = fmt.Sprintf("setting %d", i)
		}
		list = append(list, setting{name, v})
	}
	return list
}

// flagNames names the flags of a header.
func flagNames(flags uint64) []string {
	names := []string{}
	if flags&layout.FlagDelta != 0 {
		names = append(names, "delta")
	}
	if flags&layout.FlagMerged != 0 {
		names = append(names, "merged")
	}
	if other := flags &^ uint64(disk.KnownFlags); other != 0 {
		names = append(names, fmt.Sprintf("0x%x", other))
	}
	return names
}

var tableNames = map[layout.TableKind]string{
	layout.TableOrder: "source order", layout.TableOrderRuns: "runs of the source order", layout.TableProperties: "properties", layout.TableDumps: "dumps",
	layout.TableMonitors: "monitors", layout.TableSamples: "samples", layout.TableBinaryIDs: "binary ids",
	layout.TableTraces: "temporal traces", layout.TableVTables: "vtables", layout.TableHeapRefs: "heap references",
	layout.TableHeapUse: "heap use", layout.TableInstances: "instances", layout.TableThreads: "threads",
	layout.TableReflected: "reflected classes", layout.TableForeign: "foreign keys",
	layout.TableRuns: "runs", layout.TableClassPath: "class path", layout.TableCode: "sketches of code",
}

func tableName(k layout.TableKind) string {
	if name, ok := tableNames[k]; ok {
		return name
	}
	return fmt.Sprintf("table %d", uint32(k))
}

// bytesText is bytes in hexadecimal, empty if all are 0.
func bytesText(b [16]byte) string {
	if b == ([16]byte{}) {
		return ""
	}
	return hex.EncodeToString(b[:])
}
