package check

import (
	"context"

	"github.com/profarc/profarc/internal/formats/stacks/pprof/source"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/java/classfile"
)

func openGoCode(ctx context.Context, folder string) (programCode, error) {
	tree, err := source.OpenBuild(ctx, folder)
	return programCode{Code: tree, name: folder, close: func() {}}, err
}

func openGoBinary(name string) (programCode, error) {
	b, err := source.OpenBinary(name)
	return programCode{Code: b, name: name, close: func() {}}, err
}

func openGraalClasses(name string) (programCode, error) {
	c, err := program.OpenClassPath(classfile.SplitPath(name), 0)
	if err != nil {
		return programCode{}, err
	}
	return programCode{Code: program.GraalClassPath{ClassPath: c}, name: name, close: c.Close, related: c.CheckRelated,
		missing: c.Missing()}, nil
}
