package builder

import "github.com/profarc/profarc/layout"

// HotSpotParams returns the settings of an OpenJDK 17, 21 or 25 with default flags, for Config.Params. Type profiles
// and Ret entries have two rows. Before release 25, type profiles also count receivers that were not profiled. For a VM
// with -XX:TypeProfileWidth or -XX:BciProfileWidth, change the fields of these names.
func HotSpotParams(release int) layout.Params {
	p := layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, TypeProfileLevel: 111, ProfileTraps: 1,
		VMRelease: uint32(release)}
	if release < 25 {
		p.ReceiverGap = 1 // nonprofiled_count
	}
	return p
}
