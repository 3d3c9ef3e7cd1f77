package check

import (
	"context"

	"github.com/profarc/profarc/internal/formats/stacks/pprof/source"
)

func openGoCode(ctx context.Context, folder string) (programCode, error) {
	tree, err := source.OpenBuild(ctx, folder)
	return programCode{Code: tree, name: folder, close: func() {}}, err
}

func openGoBinary(name string) (programCode, error) {
	b, err := source.OpenBinary(name)
	return programCode{Code: b, name: name, close: func() {}}, err
}
