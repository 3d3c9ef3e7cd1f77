package main

import (
	"bytes"
	_ "embed"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/layout"
)

// The training run of the demo. recording/RECORDING.md says where it is from.
//
//go:embed recording/javac.methoddata.txt.zst
var recording []byte

const (
	recordedRun  = "javac 17 compiled java.util.concurrent: 71 files, 58530 lines"
	recordedBy   = "OpenJDK 17.0.15+6"
	recordedText = 13_016_811 // bytes
)

// demoMethod generates the code of a list of statements.
var demoMethod = layout.Key{
	Class: "com/sun/tools/javac/jvm/Gen", Name: "genStats",
	Signature: "(Lcom/sun/tools/javac/util/List;Lcom/sun/tools/javac/comp/Env;)V",
}

// Profile points of demoMethod: the end of its loop, and the call that
// generates a statement, whose only receiver was demoMethod.Class.
const (
	demoBranch = 6
	demoCall   = 19
)

// readRecording reads the recording into a builder.
func readRecording() (*builder.Builder, *hotspot.TextReport, error) {
	text, err := zstd.NewReader(bytes.NewReader(recording))
	if err != nil {
		return nil, nil, err
	}
	defer text.Close()
	return hotspot.ReadText(text, hotspot.TextOptions{Name: "the recording", Config: builder.Config{
		Producer: recordedBy, DumpTime: time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC),
	}})
}
