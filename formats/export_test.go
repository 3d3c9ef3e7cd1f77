package formats

var ErrNone = errNone
