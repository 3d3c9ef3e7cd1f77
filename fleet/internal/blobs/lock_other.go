//go:build !unix || solaris || aix

package blobs

import (
	"errors"
	"os"
)

func createFile(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func tryLock(*os.File) error { return errors.ErrUnsupported }
