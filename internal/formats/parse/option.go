package parse

import "github.com/profarc/profarc/formats/codec"

// AsLLVMOption declares the option to merge as llvm-profdata does, which several formats have.
func AsLLVMOption(field *bool) codec.Option {
	return codec.NewOption("llvm-compat", field,
		"merge as llvm-profdata merge --num-threads=1 does, of the release of the files or of the option llvm-release: of "+
			"what does not go together the first stays, values new to a site have no weight, those without a name are paired "+
			"by their places")
}

// SalvageOption declares the option to read a damaged file, which several formats have.
func SalvageOption(field *bool) codec.Option {
	return codec.NewOption("salvage", field, "take what is whole of a file that is cut off or damaged")
}
