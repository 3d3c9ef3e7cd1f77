package mapped

import (
	"runtime"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// ContextRecord returns the context record at n, whose pages a reader has checked.
func (m *Mapping) ContextRecord(n layout.Ref) disk.ContextRecord {
	rec := disk.ParseContext(m.data[n.Offset():])
	runtime.KeepAlive(m)
	return rec
}
