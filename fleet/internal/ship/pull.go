package ship

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/signature"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

type pullOptions struct {
	connection
	out      string
	base     string
	build    string
	key      string
	promoted string
	java     string
	demand
	fingerprint string
	platform    string
	any         bool
	optional    bool
	json        bool
}

const pullHelp = `Pull fetches the newest archive that fits. NAME is

  an image       the archives that profarc push --subject attached to it. With --promoted TAG the one
                 that was promoted to that tag last, of those for this image
  a promoted tag the archive that was promoted to it last, or one before it if that does not fit
  an archive     that one, by its tag or digest

An archive fits if it was recorded with the build of the JVM that a start would run: that of --java, or of
JAVA_HOME, or of java on PATH. Where there is no java, as in a slim container, --build says it: 21.0.5+11, or
the build id of a program that LLVM instrumented, as readelf -n prints it. With --class-path its profiles must
be of the code and of that JDK, as profarc check finds it method by method: by --min-score, with
--min-checked of the hot part compared. --any takes the newest, whatever it is of: each start looks again and
leaves out what does not fit.

It must be of this platform, or of --platform. An archive whose platform is not known is for all.

Of a layer the base comes too, and is written beside it: app.base.parc beside app.parc, or --base. Start
with profarc run --archive app.parc --base app.base.parc.

Everything is compared with its digest while it is read. With --key only archives count that have a
signature by that key, in the form of Sigstore. The file appears whole, or stays as it was. If it has the
bytes of that archive already they are not fetched again.

A program starts without profiles as well: let a failed pull not stop it. With --optional the reason is
printed and the exit code is 0, for a container without a shell.`

func pullCommand(a *cli.App) *cobra.Command {
	var o pullOptions
	cmd := &cobra.Command{
		Use:     "pull NAME -o ARCHIVE",
		Short:   shortOf("pull"),
		GroupID: Group,
		Long:    pullHelp,
		Example: `  profarc pull registry.example/shop:1.4 -o app.parc
  profarc pull registry.example/shop:1.4 --promoted prod --key key.pub -o app.parc
  profarc pull registry.example/shop:1.4 --promoted prod --build 21.0.5+11 -o app.parc
  profarc pull registry.example/shop:1.4 --class-path app.jar --min-score 0.9 -o app.parc
  profarc pull registry.example/shop:1.4 -o app.parc || true; exec profarc run --archive app.parc java -jar app.jar`,
		Args: cli.Args(1, 1, "one image or archive in a registry"),
		RunE: a.Run(func(ctx context.Context, args []string) error {
			return o.excuse(ctx, runPull(ctx, a, args[0], &o))
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "`ARCHIVE` to write; its name ends in "+cli.ArchiveExtension)
	f.StringVar(&o.base, "base", "", "`ARCHIVE` to write the base of a layer to (default NAME.base"+cli.ArchiveExtension+
		" for NAME"+cli.ArchiveExtension+")")
	f.StringVar(&o.build, "build", "", "`BUILD` of the VM that will start, as 21.0.5+11, or build id of the program")
	f.StringVar(&o.key, "key", "", "PEM `FILE` of the public key by which it must be signed")
	f.StringVar(&o.promoted, "promoted", "", "take what was promoted to `TAG`")
	f.StringVar(&o.java, "java", "", "`JAVA` that will start, or the home of its JDK (default that of JAVA_HOME or PATH)")
	o.demand.addFlags(f, 0.5)
	f.StringVar(&o.fingerprint, "fingerprint", "", "`FINGERPRINT` of the program, as profarc info prints it")
	f.StringVar(&o.platform, "platform", "", "`PLATFORM` that will start, as linux/arm64 (default the one that pulls)")
	f.BoolVar(&o.any, "any", false, "take the newest, whatever it is of")
	f.BoolVar(&o.optional, "optional", false, "exit with 0 after a failure; wrong usage remains one")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.connection.addFlags(f)
	return cmd
}

// PullProgram returns pull as the command of a program of its own. If profarc started the program, its messages name
// "profarc pull".
func PullProgram(a *cli.App, name string) *cobra.Command {
	cmd := pullCommand(a)
	cmd.Use = "profarc-pull" + strings.TrimPrefix(cmd.Use, cmd.Name())
	cmd.GroupID = ""
	cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: name}
	cmd.Example = strings.ReplaceAll(cmd.Example, "profarc pull", name)
	a.CompleteProgram(cmd)
	return cmd
}

// excuse converts the error of a failed pull to exit code 0 if --optional is set.
func (o *pullOptions) excuse(ctx context.Context, err error) error {
	var usage cli.UsageError
	if err == nil || !o.optional || errors.As(err, &usage) || ctx.Err() != nil {
		return err
	}
	return &cli.ExitError{Code: cli.ExitOK, Err: err}
}

// pulled is the output of pull.
type pulled struct {
	Archive    string         `json:"archive"`
	Reference  string         `json:"reference"` // reference with the digest
	Digest     string         `json:"digest"`
	There      bool           `json:"was_there"` // the file already had these bytes, so nothing was downloaded
	Bytes      int64          `json:"bytes"`
	Compressed int64          `json:"compressed_bytes"`
	Base       *pulledBase    `json:"base"`   // base of a layer, otherwise null
	Signed     bool           `json:"signed"` // a signature by --key was verified
	Java       string         `json:"java,omitempty"`
	Score      *float64       `json:"score,omitempty"`   // null without --class-path
	Checked    *float64       `json:"checked,omitempty"` // compared share of the hot part
	Skipped    []skipped      `json:"skipped"`           // newer archives that do not fit
	Facts      artifact.Facts `json:"facts"`
}

// skipped is an archive that does not fit.
type skipped struct {
	Digest string `json:"digest"`
	Why    string `json:"why"`

	elsewhere bool // it is of other platforms
}

func runPull(ctx context.Context, a *cli.App, name string, o *pullOptions) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	p := &puller{o: o}
	var err error
	p.repo, err = o.openRepository(name)
	if err != nil {
		return err
	}
	if o.key != "" {
		p.key, err = signature.ReadPublicKey(ctx, o.key)
		if err != nil {
			return err
		}
	}
	p.wanted, err = newDeployment(o)
	if err != nil {
		return err
	}
	got, err := p.pullFirstFit(ctx, a)
	if err != nil {
		return err
	}
	if o.json {
		return a.PrintJSON(got)
	}
	got.printResult(a, o)
	return nil
}

func (o *pullOptions) checkFlags() error {
	if o.promoted != "" {
		if err := registry.CheckTag(o.promoted); err != nil {
			return cli.Usagef("--promoted %w", err)
		}
	}
	if o.build != "" && o.java != "" {
		return cli.Usagef("--build and --java: name the build or the java that has it")
	}
	if o.any && (o.build != "" || o.java != "" || len(o.classPath) > 0 || o.fingerprint != "" || o.platform != "") {
		return cli.Usagef("--any takes what --build, --java, --class-path, --fingerprint and --platform would leave out: " +
			"say one or the other")
	}
	if err := o.demand.checkFlags(); err != nil {
		return err
	}
	if err := cli.CheckArchiveName(o.out, ""); err != nil {
		return err
	}
	if o.basePath() == o.out {
		return cli.Usagef("--base %s: the base of a layer needs a name of its own", o.base)
	}
	return cli.CheckArchiveName(o.basePath(), o.out)
}

// A puller pulls the newest archive that fits.
type puller struct {
	o      *pullOptions
	repo   *registry.Repository
	key    *ecdsa.PublicKey // nil if no signature is required
	wanted deployment

	otherPlatforms []artifact.Platform // platforms of archives that do not fit for this reason
}

// pullFirstFit downloads the first archive that fits.
func (p *puller) pullFirstFit(ctx context.Context, a *cli.App) (*pulled, error) {
	all, err := p.candidates(ctx)
	if err != nil {
		return nil, err
	}
	left := []skipped{}
	for _, c := range all {
		got, err := p.tryArchive(ctx, a, c)
		var no misfit
		if errors.As(err, &no) {
			p.otherPlatforms = append(p.otherPlatforms, no.platforms...)
			left = append(left, skipped{c.Descriptor.Digest.String(), no.why, no.platforms != nil})
			continue
		}
		if err != nil {
			return nil, err
		}
		got.Skipped = left
		return got, nil
	}
	return nil, p.noFitError(left)
}

// candidates returns the archives to try, in order.
func (p *puller) candidates(ctx context.Context) ([]*artifact.Archive, error) {
	n, err := lookUp(ctx, p.repo, p.repo.Reference())
	if err != nil || p.o.promoted == "" {
		if err != nil {
			return nil, err
		}
		return n.archives(ctx, p.repo)
	}
	if n.subjects == nil {
		return nil, cli.Usagef("%s is no image: --promoted is for images; name the tag itself: %s",
			p.repo.Full(p.repo.Reference()), p.repo.Full(p.o.promoted))
	}
	c, err := lookUp(ctx, p.repo, p.o.promoted)
	if err != nil {
		return nil, err
	}
	if c.channel == nil {
		return nil, fmt.Errorf("%s: nothing was promoted to it: name a tag that profarc promote --to made",
			p.repo.Full(p.o.promoted))
	}
	return promoted(ctx, p.repo, c.channel, n.subjects)
}

// noFitError returns the error for the case that no archive fits.
func (p *puller) noFitError(left []skipped) error {
	name := p.repo.Full(p.repo.Reference())
	if len(left) == 0 && p.o.promoted != "" {
		return fmt.Errorf("%s: no archive for it was promoted to %s: promote one with profarc promote", name, p.o.promoted)
	}
	if tag, ok := strings.CutSuffix(p.repo.Tag(), artifact.VolumeTag("")); ok && len(left) == 0 {
		return fmt.Errorf("%s: it is an image for volumes: pull its archive, %s", name, p.repo.Full(tag))
	}
	if len(left) == 0 {
		return fmt.Errorf("%s: no archive of profiles is attached to it: attach one with profarc push ARCHIVE --subject %s",
			name, name)
	}
	if p.allElsewhere(left) {
		return fmt.Errorf("%s: no archive is of %s, only of %s: name one of these with --platform, or train on %s",
			name, p.wanted.platform, artifact.JoinPlatforms(p.otherPlatforms), p.wanted.platform)
	}
	why := []string{}
	for _, s := range left[:min(len(left), 3)] {
		why = append(why, fmt.Sprintf("%.19s: %s", s.Digest, s.Why))
	}
	if len(left) > 3 {
		why = append(why, fmt.Sprintf("and %d more", len(left)-3))
	}
	advice := "train again, or take the newest with --any"
	if p.o.any {
		advice = "train again"
	}
	return fmt.Errorf("%s: %s, and none fits: %s: %s", name, cli.Amount(len(left), "archive"),
		strings.Join(why, "; "), advice)
}

// allElsewhere reports whether all archives that were left out are of other platforms, which it sorts.
func (p *puller) allElsewhere(left []skipped) bool {
	slices.Sort(p.otherPlatforms)
	p.otherPlatforms = slices.Compact(p.otherPlatforms)
	return !slices.ContainsFunc(left, func(s skipped) bool { return !s.elsewhere })
}

// tryArchive downloads an archive if it fits, unless the file already has its bytes. If it does not fit, the error is a
// misfit.
func (p *puller) tryArchive(ctx context.Context, a *cli.App, c *artifact.Archive) (*pulled, error) {
	if err := cmp.Or(p.wanted.acceptsPlatform(c.Facts), p.wanted.acceptsFacts(c.Facts)); err != nil {
		return nil, err
	}
	if p.key != nil {
		err := verifySignature(ctx, p.repo, p.key, c.Descriptor)
		if errors.Is(err, signature.ErrSignature) || errors.Is(err, errUnsigned) {
			return nil, misfitf("%v", err)
		}
		if err != nil {
			return nil, err
		}
	}
	digest := c.Descriptor.Digest.String()
	got := &pulled{Archive: p.o.out, Reference: p.repo.Full(digest), Digest: digest, Compressed: c.Layer.Size,
		Signed: p.key != nil, Java: p.wanted.java, Facts: c.Facts}
	got.There = artifact.IsAt(ctx, p.o.out, c.Layer)
	if got.There {
		return got, p.acceptDownloaded(ctx, a, c, p.o.out, got)
	}
	err := publish.At(ctx, p.o.out, func(f *publish.File) error {
		if err := p.download(ctx, a, c, c.Layer, f); err != nil {
			return err
		}
		return p.acceptDownloaded(ctx, a, c, f.Path(), got)
	})
	return got, err
}

// acceptDownloaded checks a downloaded archive, and downloads its base.
func (p *puller) acceptDownloaded(
	ctx context.Context,
	a *cli.App,
	c *artifact.Archive,
	path string,
	got *pulled,
) error {
	err := verifyArchive(ctx, path, p.o.out, got, func(s *reader.Store) (err error) {
		got.Bytes = s.Header().FileSize
		if err := lacksBase(s, c.Base); err != nil && !p.o.any {
			return err
		}
		score, checked, err := p.wanted.checkFit(ctx, s)
		if len(p.o.classPath) > 0 {
			got.Score = &score
			got.Checked = &checked
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.placeBase(ctx, a, c, path, got)
}

// download writes the archive in a layer of c to f.
func (p *puller) download(ctx context.Context, a *cli.App, c *artifact.Archive, layer ocispec.Descriptor,
	f *publish.File) error {
	body, err := p.repo.Blob(ctx, layer)
	if err != nil {
		return err
	}
	defer body.Close()
	m := a.Meter("pulling " + p.repo.Name())
	defer m.Done()
	err = artifact.Unpack(ctx, f, &metered{body, m, 0, layer.Size}, layer)
	if errors.Is(err, artifact.ErrOther) {
		err = fmt.Errorf("%s: %w: the registry or the way to it is damaged or has been tampered with: push the archive again",
			p.repo.Full(c.Descriptor.Digest.String()), err)
	}
	return err
}

// verifyArchive verifies the archive at path and calls f. Errors have its final name.
func verifyArchive(ctx context.Context, path, name string, got *pulled, f func(s *reader.Store) error) (err error) {
	defer func() {
		var no misfit
		if err != nil && ctx.Err() == nil && !errors.As(err, &no) {
			err = unsoundError(got, err, strings.NewReplacer(path, name))
		}
	}()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	defer cli.CloseOnInterrupt(ctx, s)()
	return s.Mapping().Guard(func() error {
		report, err := verify.Pages(ctx, s, nil)
		if err != nil {
			return err
		}
		if !report.Sound() {
			return report.Problems[0]
		}
		return f(s)
	})
}

// metered is a reader that reports its progress.
type metered struct {
	io.Reader
	m           *cli.Meter
	done, total int64
}

func (r *metered) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.done += int64(n)
	r.m.Report(r.done, r.total)
	return n, err
}

func (p *pulled) printResult(a *cli.App, o *pullOptions) {
	if p.There {
		fmt.Fprintf(a.Out, "kept    %s, %s: it is this archive already\n", p.Archive, cli.FormatSize(p.Bytes))
	} else {
		fmt.Fprintf(a.Out, "pulled  %s, %s from %s\n", p.Archive, cli.FormatSize(p.Bytes), cli.FormatSize(p.Compressed))
	}
	if b := p.Base; b != nil {
		fmt.Fprintf(a.Out, "        on its base %s%s: start with profarc run --archive %s --base %s\n", b.Archive,
			cli.Note(b.There, "it was there"), p.Archive, b.Archive)
	}
	fmt.Fprintf(a.Out, "        %s\n", p.Reference)
	fmt.Fprintf(a.Out, "        %s of %s, %s, %s\n", cli.Amount(p.Facts.Profiles, "profile"),
		cli.Amount(p.Facts.Runs, "run"), p.Facts.Producer, p.Facts.Created.UTC().Format("2006-01-02 15:04 MST"))
	for _, s := range p.Skipped {
		fmt.Fprintf(a.Out, "        left out %.19s: %s\n", s.Digest, s.Why)
	}
	if p.Score != nil {
		fmt.Fprintf(a.Out, "        %s of its events fit %s, %s of the hot part was compared\n", cli.FormatPercentDown(*p.Score),
			&o.demand, cli.FormatPercentDown(*p.Checked))
	}
	if p.Signed {
		fmt.Fprintf(a.Out, "        signed by the key of %s\n", o.key)
	}
	if p.Java == "" && o.build == "" && !o.any && p.Facts.Domain == "hotspot" {
		fmt.Fprintf(
			a.Out,
			"        not compared with a build of the VM, since there is no java here: name it with --java, or "+
				"its build with --build\n",
		)
	}
}
