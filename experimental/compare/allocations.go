package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

type allocationKey struct {
	function uint64
	stack    string
}

func allocatedBytes(s *reader.Store) (bytes map[allocationKey]uint64, sum float64, err error) {
	t, err := s.TableOrEmpty(disk.TableAllocations)
	if err != nil {
		return nil, 0, err
	}
	bytes = map[allocationKey]uint64{}
	for row := range t.Rows {
		key := allocationKey{function: t.Cell(disk.AllocationFunction, row)}
		if t.Cell(disk.AllocationStack, row) != 0 {
			key.stack, err = t.Text(disk.AllocationStack, row)
			if err != nil {
				return nil, 0, err
			}
		}
		n := t.Cell(disk.AllocationFields+disk.HeapBytes, row)
		bytes[key] = disk.SaturatingAdd(bytes[key], n)
		sum += float64(n)
	}
	return bytes, sum, nil
}

func (c *comparison) compareAllocations() error {
	a, sumA, err := allocatedBytes(c.a)
	if err != nil {
		return err
	}
	b, sumB, err := allocatedBytes(c.b)
	if err != nil {
		return err
	}
	const k = kindAllocatedBytes
	c.sumA[k], c.sumB[k] = sumA, sumB
	keys := slices.SortedFunc(maps.Keys(b), func(x, y allocationKey) int { // floating-point totals depend on the order
		return cmp.Or(cmp.Compare(x.function, y.function), cmp.Compare(x.stack, y.stack))
	})
	for _, key := range keys {
		y := b[key]
		if x, both := a[key]; both {
			c.overlap[k] += countOverlap(x, y, sumA, sumB)
		} else {
			c.onlyB[k] += shareOfSum(float64(y), sumB)
		}
	}
	return nil
}
