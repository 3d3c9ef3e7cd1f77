//go:build !untouched

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"runtime"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/profarc/profarc"
)

var vm = profarc.VM{ID: [16]byte{0x6c, 0x75, 0x61, 1}, Name: "GopherLua 1.1.1, counting"}

// start starts a run, and returns a function that dumps it.
func start(o options) (finish func() error) {
	if o.idle {
		return func() error { return nil }
	}
	run, err := profarc.Start(o.archive, vm)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Print("without profiles: ", err)
	}
	p := &lua.Profiler{Run: run, Count: true, Advised: o.advised}
	p.Use()
	return func() error {
		fmt.Println("counted", p.Counted)
		fmt.Println("quickened", p.Quickened)
		if o.reasons {
			log.Print(strings.Join(p.Reasons, "\n"))
		}
		if o.dump == "" {
			return nil
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println("heap", m.HeapAlloc)
		begin := time.Now()
		_, err := run.Dump(context.Background(), o.dump)
		fmt.Println("dumped", time.Since(begin).Nanoseconds())
		return err
	}
}
