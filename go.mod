module github.com/profarc/profarc

go 1.25.0

require github.com/cespare/xxhash/v2 v2.3.0
