package check

import (
	"context"
	"errors"

	"github.com/profarc/profarc/internal/formats/stacks/pprof/source"
)

// openGoCode opens the build of a folder with Go files. Without the go command it opens only the folder.
func openGoCode(ctx context.Context, folder string) (programCode, error) {
	tree, err := source.OpenBuild(ctx, folder)
	if errors.Is(err, source.ErrNoGoCommand) {
		tree, err = source.Open(folder)
		if err == nil {
			tree.SetMissing("its package is not in the folder, and " + source.ErrNoGoCommand.Error())
		}
	}
	return programCode{Code: tree, name: folder, close: func() {}}, err
}

func openGoBinary(name string) (programCode, error) {
	b, err := source.OpenBinary(name)
	return programCode{Code: b, name: name, close: func() {}}, err
}
