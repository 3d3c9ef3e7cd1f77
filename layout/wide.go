package layout

// Rows is the number of rows of a wide entry.
func (e Entry) Rows() int { return int(le.Uint32(e[12:])) }

// PackSuccessor is the first cell of a successor row.
func PackSuccessor(point int32, index uint32) uint64 {
	return uint64(uint32(point)) | uint64(index)<<32
}

// UnpackSuccessor takes the first cell of a successor row apart.
func UnpackSuccessor(cell uint64) (point int32, index uint32) {
	return int32(uint32(cell)), uint32(cell >> 32)
}
