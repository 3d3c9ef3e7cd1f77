// Release builds the files of a release.
//
//	go run -C .ci ./release VERSION FOLDER
//
// It runs at the root of the repository, or in .ci, and writes to a new folder. The folder is relative to the root.
//
//	profarc-VERSION-SYSTEM-PROCESSOR          a program for each target, and profarc-fleet
//	profarc-VERSION-SYSTEM-PROCESSOR.cdx.json bill of materials in CycloneDX 1.5
//	profarc-VERSION-man.tar.gz                man pages of all commands, in share/man/man1
//	LICENSE, NOTICE, LICENCES                 our licence, the names of all others, and their texts
//	provenance.json                           unsigned in-toto statement with SLSA's provenance
//	SHA256SUMS                                checksums of all other files
//
// Builds are reproducible. The output depends only on the source and the Go version, not on paths, times, the state of
// the repository, or the environment.
//
// Sign the checksums, which cover the provenance, and publish the bundle. Users verify both.
//
//	cosign sign-blob --bundle SHA256SUMS.sigstore.json SHA256SUMS
//	cosign verify-blob --bundle SHA256SUMS.sigstore.json --certificate-identity WHO \
//	    --certificate-oidc-issuer ISSUER SHA256SUMS
//	sha256sum -c SHA256SUMS
//
// The source must be an unmodified commit. -revision sets it if the folder is not a repository. -builder is the URI of
// the builder in the provenance. -targets selects targets. -notice only writes the file NOTICE to the standard output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/profarc/profarc/ci/licences"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

const project = "https://github.com/profarc/profarc"

func run(ctx context.Context) error {
	notice := flag.Bool("notice", false, "write NOTICE to the standard output")
	r := release{Builder: project + "/tree/main/.ci/release#local"}
	flag.StringVar(&r.Builder, "builder", r.Builder, "URI of who builds")
	flag.StringVar(&r.Revision, "revision", "", "the commit, where the folder is no repository")
	targets := flag.String("targets", strings.Join(licences.Targets, ","), "SYSTEM/PROCESSOR, separated by commas")
	flag.Parse()
	if here, err := os.Getwd(); err == nil && filepath.Base(here) == ".ci" {
		if err := os.Chdir(".."); err != nil {
			return err
		}
	}
	if *notice {
		text, err := licences.Notice(ctx, ".")
		if err == nil {
			_, err = os.Stdout.Write(text)
		}
		return err
	}
	if flag.NArg() != 2 {
		return errors.New("usage: go run -C .ci ./release [flags] VERSION FOLDER, or -notice")
	}
	r.Version = flag.Arg(0)
	r.folder = flag.Arg(1)
	r.Targets = strings.Split(*targets, ",")
	return r.writeRelease(ctx)
}

type release struct {
	Version, Revision, Builder string
	Targets                    []string
	folder                     string
	goVersion                  string
	names                      map[string][]string // names of licences by module path
}

var versionForm = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

func (r *release) writeRelease(ctx context.Context) (err error) {
	if !versionForm.MatchString(r.Version) {
		return fmt.Errorf("%q is no version: give one such as v1.2.3", r.Version)
	}
	if err := r.resolveRevision(ctx); err != nil {
		return err
	}
	if err := os.Mkdir(r.folder, 0o777); err != nil {
		return err
	}
	if err := r.writeTexts(ctx); err != nil {
		return err
	}
	if err := r.writeManPages(ctx); err != nil {
		return err
	}
	programs, err := r.buildAll(ctx)
	if err != nil {
		return err
	}
	if err := r.writeProvenance(programs); err != nil {
		return err
	}
	return writeSums(r.folder)
}

// resolveRevision sets the commit. It returns an error if the folder has uncommitted changes.
func (r *release) resolveRevision(ctx context.Context) error {
	if r.Revision != "" {
		return nil
	}
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("the commit is not known, name it with -revision: %w", err)
	}
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output()
	if err == nil && len(changed) > 0 {
		err = fmt.Errorf("commit these changes, or take them back:\n%s", changed)
	}
	r.Revision = strings.TrimSpace(string(head))
	return err
}

// writeTexts writes the licences, and stores their names in r.names.
func (r *release) writeTexts(ctx context.Context) error {
	list, err := licences.Linked(ctx, ".")
	if err != nil {
		return err
	}
	r.names = map[string][]string{}
	for _, m := range list {
		l, err := licences.Of(m.Folder)
		if err != nil {
			return err
		}
		r.names[m.Path] = l.Names
	}
	texts, err := licences.Texts(list)
	if err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		text, err := os.ReadFile(name)
		if err == nil {
			err = r.writeFile(name, text)
		}
		if err != nil {
			return err
		}
	}
	return r.writeFile("LICENCES", texts)
}

func (r *release) writeFile(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.folder, name), data, 0o666)
}
