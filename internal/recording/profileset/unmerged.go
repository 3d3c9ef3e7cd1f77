package profileset

import "github.com/profarc/profarc/internal/ledger"

// UnmergedAmounts returns the counts that merges dropped since the account was last read.
func (b *Set) UnmergedAmounts() ledger.Totals {
	b.mu.Lock()
	defer b.mu.Unlock()
	lost := ledger.Totals{}
	for u, l := range b.unmerged {
		lost.Add(u, l.amount)
	}
	return lost
}
