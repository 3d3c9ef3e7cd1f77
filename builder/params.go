package builder

import "github.com/profarc/profarc/layout"

// HotSpotParams returns the settings of an OpenJDK 17, 21 or 25 that runs without flags, for Config.Params: two
// receiver rows and two Ret rows, and before release 25 a count of receivers that were not profiled. A VM that
// runs with -XX:TypeProfileWidth or -XX:BciProfileWidth changes the fields of these names.
func HotSpotParams(release int) layout.Params {
	p := layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, TypeProfileLevel: 111, ProfileTraps: 1,
		VMRelease: uint32(release)}
	if release < 25 {
		p.ReceiverGap = 1 // nonprofiled_count
	}
	return p
}
