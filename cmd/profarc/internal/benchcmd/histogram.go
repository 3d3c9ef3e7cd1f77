package benchcmd

import "math"

// A bin counts groups whose mean lookup time is at most ToNS, and greater than the previous bin's ToNS.
type bin struct {
	ToNS    float64 `json:"to_ns"`
	Archive int     `json:"archive"`
	Map     int     `json:"map"`
}

// bins is the number of bins. Their bounds grow geometrically, and the last bin also counts all longer times.
const bins = 16

// histogram counts the groups of the archive and of the map in the same bins, which reach from the 1st to the 99.95th
// percentile.
func histogram(archive, peer samples) []bin {
	if len(archive) == 0 || len(peer) == 0 {
		return nil
	}
	low := max(1, min(archive.quantile(0.01), peer.quantile(0.01)))
	high := max(2*low, archive.quantile(0.9995), peer.quantile(0.9995))
	all := make([]bin, bins)
	for i := range all {
		all[i].ToNS = low * math.Pow(high/low, float64(i)/(bins-1))
	}
	at := func(ns float64) int {
		if ns <= low {
			return 0
		}
		return min(bins-1, int(math.Ceil((bins-1)*math.Log(ns/low)/math.Log(high/low))))
	}
	for _, ns := range archive {
		all[at(ns)].Archive++
	}
	for _, ns := range peer {
		all[at(ns)].Map++
	}
	return all
}
