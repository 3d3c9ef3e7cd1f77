package flame

// Filtered returns the tree of those stacks that go through a frame in focus, and through none
// that is ignored. Nodes keep their numbers; those that no such stack goes through have no counts.
// A nil focus takes all stacks, a nil ignored leaves none out.
func (t *Tree) Filtered(focus, ignored func(frame uint32) bool) *Tree {
	kept := &Tree{Nodes: make([]Node, len(t.Nodes)), Cut: t.Cut}
	inFocus := make([]bool, len(t.Nodes))
	out := make([]bool, len(t.Nodes))
	for i, n := range t.Nodes { // parents come before their children
		if n.Parent < 0 {
			inFocus[i] = focus == nil
		} else {
			inFocus[i] = inFocus[n.Parent] || focus != nil && focus(n.Frame)
			out[i] = out[n.Parent] || ignored != nil && ignored(n.Frame)
			kept.Nodes[n.Parent].Children = append(kept.Nodes[n.Parent].Children, i)
		}
		n.Total, n.Children = 0, nil
		if !inFocus[i] || out[i] {
			n.Self = 0
		}
		kept.Nodes[i] = n
	}
	kept.Sum()
	return kept
}
