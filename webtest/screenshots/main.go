// Screenshots takes pictures of the pages of profarc web, one of each kind, in three widths and
// both colour schemes:
//
//	cd webtest && go run ./screenshots -o FOLDER app.parc --class-path app.jar --source-path src
//	cd webtest && go run ./screenshots -o FOLDER -widths 1200 -schemes light -height 900 app.parc
//	cd webtest && go run ./screenshots -readme -o ../docs/images
//
// What follows the flags is passed to profarc web. Pictures are named by the path of their
// page, its width and its scheme. The last line takes the pictures that README.md shows.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profarc/profarc/webtest"
)

func main() {
	s := shooting{}
	flag.StringVar(&s.folder, "o", "", "folder for the pictures")
	flag.StringVar(&s.prefix, "name", "", "what the names of the pictures begin with")
	widths := flag.String("widths", "360,800,1400", "widths in pixels")
	schemes := flag.String("schemes", "light,dark", "colour schemes")
	flag.Int64Var(&s.height, "height", 3000, "the most of a page that a picture shows, in pixels")
	flag.BoolVar(&s.readme, "readme", false, "take the pictures of the README instead")
	flag.Parse()
	s.schemes = strings.Split(*schemes, ",")
	for _, text := range strings.Split(*widths, ",") {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			fmt.Fprintln(os.Stderr, "screenshots: -widths:", err)
			os.Exit(2)
		}
		s.widths = append(s.widths, n)
	}
	if s.folder == "" || (flag.NArg() == 0) != s.readme {
		fmt.Fprintln(os.Stderr, "usage: screenshots -o FOLDER ARCHIVE [flags of profarc web]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

// A shooting takes pictures.
type shooting struct {
	folder, prefix string
	readme         bool
	widths         []int64
	schemes        []string
	height         int64
	tab            *webtest.Tab
}

func (s *shooting) run(ctx context.Context, arguments []string) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	built, err := os.MkdirTemp("", "screenshots")
	if err != nil {
		return err
	}
	defer os.RemoveAll(built)
	command, err := webtest.Build(ctx, built)
	if err != nil {
		return err
	}
	browser, err := webtest.Start(ctx)
	if err != nil {
		return err
	}
	defer browser.Close()
	if s.tab, err = browser.NewTab(); err != nil {
		return err
	}
	defer s.tab.Close()
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return err
	}
	if s.readme {
		return s.readmePictures(ctx, command, built)
	}
	address, stopped, err := command.Serve(ctx, arguments...)
	if err != nil {
		return err
	}
	defer func() { end(); stopped() }()
	return s.pages(address)
}

// readmePictures takes the pictures that README.md shows.
func (s *shooting) readmePictures(ctx context.Context, command *webtest.Command, built string) error {
	pictures, err := webtest.ReadmePictures(ctx, command, s.tab, built)
	if err != nil {
		return err
	}
	for name, png := range pictures {
		if err := s.write(name, png); err != nil {
			return err
		}
	}
	return nil
}

// write writes a picture, and says so.
func (s *shooting) write(name string, png []byte) error {
	if err := os.WriteFile(filepath.Join(s.folder, name), png, 0o644); err != nil {
		return err
	}
	fmt.Println(name)
	return nil
}

// pages takes pictures of the first page of each kind.
func (s *shooting) pages(address string) error {
	s.tab.SetOrigin(address)
	crawl := webtest.NewCrawl(address + "overview")
	for at := crawl.Next(); at != ""; at = crawl.Next() {
		if err := s.tab.Open(at); err != nil {
			return err
		}
		links, err := s.tab.Links()
		if err != nil {
			return err
		}
		crawl.Add(links...)
		if kind, _ := webtest.Kind(at); crawl.First(at) && !strings.Contains(kind, ".") {
			if err := s.take(at, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes the pictures of a page.
func (s *shooting) take(address, kind string) error {
	for _, width := range s.widths {
		for _, scheme := range s.schemes {
			if err := s.tab.View(width, scheme); err != nil {
				return err
			}
			png, err := s.tab.Picture(s.height)
			if err != nil {
				return fmt.Errorf("%s: %w", address, err)
			}
			name := fmt.Sprintf("%s%s-%d-%s.png", s.prefix, nameOf(kind), width, scheme)
			if err := s.write(name, png); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameOf returns the name of a picture for a kind of page.
func nameOf(kind string) string {
	return strings.TrimSuffix(strings.NewReplacer("?", "-", "&", "-").Replace(kind), "-")
}
