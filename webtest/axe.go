package webtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// axePackage is the npm package of the accessibility checker.
const axePackage = "axe-core@4.14.1"

// Axe returns the script of axe-core, which it downloads from npm to the user's cache if necessary.
func Axe(ctx context.Context) (script string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "profarc-webtest", axePackage)
	path := filepath.Join(folder, "package", "axe.min.js")
	if _, err := os.Stat(path); err != nil {
		if err := fetchAxe(ctx, folder); err != nil {
			return "", err
		}
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// fetchAxe downloads and unpacks the package to a folder.
func fetchAxe(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", axePackage)
	pack.Dir = folder
	out, err := pack.Output()
	if err != nil {
		return fmt.Errorf("npm pack %s: %w", axePackage, err)
	}
	lines := strings.Fields(string(out))
	if len(lines) == 0 {
		return fmt.Errorf("npm pack %s: it names no file", axePackage)
	}
	unpack := exec.CommandContext(ctx, "tar", "-xzf", lines[len(lines)-1])
	unpack.Dir = folder
	if out, err := unpack.CombinedOutput(); err != nil {
		return fmt.Errorf("tar: %w: %s", err, out)
	}
	return nil
}
