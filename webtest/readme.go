package webtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/emulation"
)

// ErrNoSources means that there is no javac, or its JDK has no sources.
var ErrNoSources = errors.New("no javac beside the sources of its JDK: install Debian's packages " +
	"openjdk-17-jdk-headless and openjdk-17-source")

// Size of the pictures in the README in pixels.
const (
	readmeWidth  = 1280
	readmeHeight = 900
)

// readmePages maps the pictures in README.md to pages. If follow is not "", the page is the first link with this prefix
// on the page from.
var readmePages = map[string]struct{ from, follow string }{
	"where.png":  {from: "where?by=invocations"},
	"method.png": {from: "methods?find=Gen.genStats", follow: "method?at="},
}

// ReadmePictures returns the pictures for README.md, keyed by file name in docs/images. They show the javac recording
// of profarc demo with the code and sources of the installed JDK. The error matches ErrNoSources if the sources are
// missing. ReadmePictures writes an archive to folder.
func ReadmePictures(ctx context.Context, c *Command, tab *Tab, folder string) (map[string][]byte, error) {
	jdk, sources, err := jdkWithSources()
	if err != nil {
		return nil, err
	}
	top, err := moduleFolder()
	if err != nil {
		return nil, err
	}
	archive := filepath.Join(folder, "javac.parc")
	recording := filepath.Join(top, "cmd/profarc/internal/demo/recording/javac.methoddata.txt.zst")
	if _, err := c.Run(ctx, "import", recording, "-o", archive); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	address, stopped, err := c.Serve(ctx, archive, "--class-path", jdk, "--source-path", sources)
	if err != nil {
		end()
		return nil, err
	}
	defer func() { end(); stopped() }()
	tab.SetOrigin(address)
	if err := tab.Do(emulation.SetScrollbarsHidden(true)); err != nil {
		return nil, err
	}
	return tab.readmePictures(address)
}

func (t *Tab) readmePictures(address string) (map[string][]byte, error) {
	pictures := map[string][]byte{}
	for name, page := range readmePages {
		at := address + page.from
		err := t.Open(at)
		if err == nil && page.follow != "" {
			at, err = t.firstLink(address + page.follow)
			if err == nil {
				err = t.Open(at)
			}
		}
		if err == nil {
			err = t.View(readmeWidth, "light")
		}
		if err == nil {
			pictures[name], err = t.Picture(readmeHeight)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, at, err)
		}
	}
	return pictures, nil
}

// firstLink returns the first link with a prefix on the page.
func (t *Tab) firstLink(prefix string) (string, error) {
	links, err := t.Links()
	if err != nil {
		return "", err
	}
	for _, link := range links {
		if strings.HasPrefix(link, prefix) {
			return link, nil
		}
	}
	return "", fmt.Errorf("no link begins with %s", prefix)
}

// jdkWithSources returns the home of the JDK whose javac is on PATH, and its src.zip.
func jdkWithSources() (home, sources string, err error) {
	javac, err := exec.LookPath("javac")
	if err == nil {
		javac, err = filepath.EvalSymlinks(javac)
	}
	home = filepath.Dir(filepath.Dir(javac))
	sources = filepath.Join(home, "lib/src.zip")
	if err == nil {
		_, err = os.Stat(sources) // Debian's src.zip can be a dangling symbolic link
	}
	if err != nil {
		return "", "", fmt.Errorf("%w (%w)", ErrNoSources, err)
	}
	return home, sources, nil
}

// cell is the side in pixels of the squares by which pictures are compared. Versions of a browser and its fonts move
// letters, but not whole words.
const cell = 20

// Unlike returns the share of visibly different squares of two PNGs, or 1 if their sizes differ.
func Unlike(a, b []byte) (float64, error) {
	first, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		return 0, err
	}
	second, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return 0, err
	}
	if first.Bounds() != second.Bounds() {
		return 1, nil
	}
	cells, differ := 0, 0
	for y := first.Bounds().Min.Y; y < first.Bounds().Max.Y; y += cell {
		for x := first.Bounds().Min.X; x < first.Bounds().Max.X; x += cell {
			cells++
			if visiblyUnlike(meanColour(first, x, y), meanColour(second, x, y)) {
				differ++
			}
		}
	}
	return float64(differ) / float64(cells), nil
}

// visiblyUnlike reports whether a component of two colours differs by more than 16 of 255.
func visiblyUnlike(a, b [3]int) bool {
	for i := range a {
		if max(a[i]-b[i], b[i]-a[i]) > 16 {
			return true
		}
	}
	return false
}

// meanColour returns the mean red, green and blue from 0 to 255 in a square of a picture.
func meanColour(m image.Image, left, top int) (mean [3]int) {
	square := image.Rect(left, top, left+cell, top+cell).Intersect(m.Bounds())
	for y := square.Min.Y; y < square.Max.Y; y++ {
		for x := square.Min.X; x < square.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			mean[0], mean[1], mean[2] = mean[0]+int(r>>8), mean[1]+int(g>>8), mean[2]+int(b>>8)
		}
	}
	for i := range mean {
		mean[i] /= square.Dx() * square.Dy()
	}
	return mean
}
