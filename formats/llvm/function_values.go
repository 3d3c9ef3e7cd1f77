package llvm

import (
	"fmt"
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/parse"
)

// A block of value profiles is the same in raw and indexed files, but for the
// order of bytes:
//
//	u32 size of the block, u32 number of kinds, and for each kind
//	    u32 kind, u32 number of sites, u8 number of values for each site,
//	    zeros up to a multiple of 8, { u64 value, u64 count } for each value
const (
	valueBlockHeader = 8
	valueKindHeader  = 8
	valueSize        = 16
)

// valueBlock takes the values of a block that is all of b. The error says what
// is wrong, without a place.
func (f *function) valueBlock(b []byte, o order) error {
	kinds, last := o.u32(b[4:]), -1
	b = b[valueBlockHeader:]
	for range kinds {
		if len(b) < valueKindHeader {
			return fmt.Errorf("a block of values has %d kinds and no room for them", kinds)
		}
		kind, sites := o.u32(b), o.u32(b[4:])
		if kind >= valueKindsKnown || int(kind) <= last {
			return fmt.Errorf("values of kind %d behind kind %d", kind, last)
		}
		last = int(kind)
		var err error
		if b, err = f.valueSites(b[valueKindHeader:], uint16(kind), sites, o); err != nil {
			return err
		}
	}
	if len(b) >= valueBlockHeader {
		return fmt.Errorf("%d bytes behind the values of a block", len(b))
	}
	return nil
}

var tooManySites = parse.Exceeded("a function of more than %d value sites of one kind", parse.MaxValueSites)

// valueSites takes the sites of one kind and gives what is behind them.
func (f *function) valueSites(b []byte, kind uint16, sites uint32, o order) (rest []byte, err error) {
	if uint64(sites) > uint64(len(b)) || sites > math.MaxInt32 {
		return nil, fmt.Errorf("%d value sites in %d bytes", sites, len(b))
	}
	if sites > parse.MaxValueSites {
		return nil, tooManySites
	}
	numbers := b[:sites]
	start := disk.AlignUp(valueKindHeader+int64(sites), disk.Unit) - valueKindHeader
	if start > int64(len(b)) {
		return nil, fmt.Errorf("%d value sites in %d bytes", sites, len(b))
	}
	b = b[start:]
	for i, n := range numbers {
		if len(b) < int(n)*valueSize {
			return nil, fmt.Errorf("%d values of a site in %d bytes", n, len(b))
		}
		for range n {
			f.values = append(f.values, builder.Value{Value: o.u64(b), Count: o.u64(b[8:])})
			b = b[valueSize:]
		}
		f.sites = append(f.sites, site{kind, int32(i), len(f.values)})
	}
	return b, nil
}
