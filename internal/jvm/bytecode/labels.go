package bytecode

// Labels are the labels of the switch at a place in code, in the order of its
// cases, which is that of the targets of its point; nil if there is no switch.
func Labels(code []byte, at int) (labels []int32) {
	java, from, size := operandsAt(code, at)
	if size == 0 {
		return nil
	}
	operands := code[from : at+size]
	switch java {
	case TableSwitch: // default, low, high, then a target for each label
		low := word(operands, 4)
		for i := range int64(len(operands)/4 - 3) {
			labels = append(labels, int32(low+i))
		}
	case LookupSwitch: // default, number of pairs, then each label and its target
		for first := 8; first+8 <= len(operands); first += 8 {
			labels = append(labels, int32(word(operands, first)))
		}
	}
	return labels
}
