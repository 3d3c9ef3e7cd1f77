package profileset

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
)

// A heavyProfile is a row of TableHot.
type heavyProfile struct {
	ref    ProfileRef
	weight uint64
}

// listHot makes TableHot, if the set has TableAdvice. The caller holds mu.
func (b *Set) listHot() error {
	delete(b.Tables, disk.TableHot)
	if advice := b.Tables[disk.TableAdvice]; advice == nil || advice.Rows() == 0 {
		return nil
	}
	all, total, err := b.weighProfiles()
	if err != nil || total == 0 {
		return err
	}
	hot := b.table(disk.TableHot, 0, disk.TableColumns(disk.TableHot))
	left := total
	for _, p := range all {
		if left <= total/100 { // the rows have 99% of the weight
			break
		}
		hot.addRow([]uint64{uint64(p.ref), p.weight})
		left -= min(left, p.weight)
	}
	return nil
}

// weighProfiles returns the profiles without a context that have a weight, the heaviest first, and their total weight,
// which saturates.
func (b *Set) weighProfiles() (all []heavyProfile, total uint64, err error) {
	for ref, d := range b.Profiles.All {
		if d.Context != NoContext {
			continue
		}
		block, err := b.Block(ProfileRef(ref))
		if err != nil {
			return nil, 0, err
		}
		if weight := weightOf(block); weight > 0 {
			all = append(all, heavyProfile{ProfileRef(ref), weight})
			total = disk.SaturatingAdd(total, weight)
		}
	}
	slices.SortFunc(all, func(x, y heavyProfile) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), b.compareProfiles(x.ref, y.ref, nil))
	})
	return all, total, nil
}

// weightOf returns the calls and loop iterations of a block.
func weightOf(block disk.Block) (weight uint64) {
	for _, field := range []disk.Presence{disk.HasInvocations, disk.HasBackedges} {
		if f := block.Field(field); f != nil {
			weight = disk.SaturatingAdd(weight, binary.LittleEndian.Uint64(f))
		}
	}
	return weight
}
