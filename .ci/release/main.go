// Release builds the programs of a release, and what belongs to them:
//
//	go run ./.ci/release VERSION FOLDER
//
// runs at the root of the repository and writes into a new folder
//
//	profarc-VERSION-SYSTEM-PROCESSOR          a program for each target, and profarc-fleet
//	profarc-VERSION-SYSTEM-PROCESSOR.cdx.json what it is linked from, as CycloneDX 1.5
//	LICENSE, NOTICE, LICENCES                 our licence, the names of all others, and their texts
//	provenance.json                           how it was built: an in-toto statement with SLSA's predicate, not signed
//	SHA256SUMS                                the sums of all other files
//
// The same source and the same release of Go give the same bytes, in any folder and on any machine: paths, times,
// the state of the folder's repository, and settings of the environment do not show.
//
// Sign the sums, which cover the provenance, and publish the bundle beside them. Who has the files checks both:
//
//	cosign sign-blob --bundle SHA256SUMS.sigstore.json SHA256SUMS
//	cosign verify-blob --bundle SHA256SUMS.sigstore.json --certificate-identity WHO \
//	    --certificate-oidc-issuer ISSUER SHA256SUMS
//	sha256sum -c SHA256SUMS
//
// The source must be a commit without changes; -revision names it where the folder is no repository, as in an unpacked
// tar file. -builder is the URI of who builds, for the provenance; -targets builds some targets alone. -notice writes
// the file NOTICE of this repository to the standard output instead.
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

	"github.com/profarc/profarc/internal/testkit/licences"
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
	if *notice {
		text, err := licences.Notice(ctx, ".")
		if err == nil {
			_, err = os.Stdout.Write(text)
		}
		return err
	}
	if flag.NArg() != 2 {
		return errors.New("usage: go run ./.ci/release [flags] VERSION FOLDER, or -notice")
	}
	r.Version, r.folder, r.Targets = flag.Arg(0), flag.Arg(1), strings.Split(*targets, ",")
	return r.write(ctx)
}

// A release is a version to build.
type release struct {
	Version, Revision, Builder string
	Targets                    []string
	folder                     string
	goVersion                  string
	names                      map[string][]string // of the licences of modules, by path
}

var versionForm = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// write writes all files of the release.
func (r *release) write(ctx context.Context) (err error) {
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
	programs, err := r.buildAll(ctx)
	if err != nil {
		return err
	}
	if err := r.writeProvenance(programs); err != nil {
		return err
	}
	return writeSums(r.folder)
}

// resolveRevision finds out the commit, and refuses a folder that has something else.
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

// writeTexts writes the licences, and notes their names.
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
