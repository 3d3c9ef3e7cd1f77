package main

import (
	"fmt"

	"github.com/profarc/profarc/formats/hotspot/live"
)

// whyEmpty says why nothing was taken of a VM; it is empty if something was. If
// the VM has no profiles it says early: the time to read it has not come.
func whyEmpty(vm *live.VM, r *live.Report, early string) string {
	if r.Methods > 0 {
		return ""
	}
	if r.Skipped > 0 {
		return "no method passes the filters: loosen them"
	}
	if len(r.Refused) > 0 {
		return fmt.Sprintf("no profile of it could be taken, %d are %s: dump it again", r.Refused[0].Count, r.Refused[0].Why)
	}
	if flag := vm.Unprofiled(); flag != "" {
		return "with " + flag + " a JVM records no profiles: run it without"
	}
	return early
}
