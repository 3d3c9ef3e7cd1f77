package ship

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/signature"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

type pushOptions struct {
	connection
	demand
	subject string
	base    string
	key     string
	gate    string
	on      []string // platforms
	volume  bool
	keepTag bool // refuse to overwrite the tag
	json    bool
}

const pushHelp = `Push verifies an archive, compresses it, and puts it into a registry as an OCI artifact. Its
annotations say what it is of: the build of the VM, the program, its dumps, how many methods. The same archive
gets the same digest, so that pushing twice changes nothing.

With --subject IMAGE the archive is attached to an image: profarc pull IMAGE then finds it. It lies in the
repository of the image, and needs no name of its own. Where a registry has no referrers API tags lead to
it, which several pushes at once do not take from each other.

An archive that is a layer takes its base along: --base names the file. The base is stored once for all
layers on it, and profarc pull fetches both.

The platform is that of the recorded JVM. --platform overrides it, for another VM or for more platforms.
profarc pull takes the archives of its own platform.

With --volume the archive is also pushed as an image with the file app.parc, which Kubernetes mounts as an
image volume. The image is attached to the archive and signed like it. Its tag is TAG.volume.

--class-path compares the profiles with the code first, as profarc check does, and records the score. The
JDK is that of JAVA_HOME or PATH, if it is of the recorded build. --gate stores the table of the gate that
the archive has passed, and refuses an archive that has not.
--sign adds a signature in the form of Sigstore: an ECDSA P-256 key in a PEM file.

Credentials come from the file that REGISTRY_AUTH_FILE names, from the folder that DOCKER_CONFIG names
(config.json, or .dockerconfigjson of a mounted Secret of Kubernetes), or from docker login. Registries on
loopback addresses are asked by plain HTTP.`

func pushCommand(a *cli.App) *cobra.Command {
	var o pushOptions
	cmd := &cobra.Command{
		Use:     "push ARCHIVE [NAME] [--subject IMAGE]",
		Short:   shortOf("push"),
		GroupID: Group,
		Long:    pushHelp,
		Example: `  profarc push app.parc --subject registry.example/shop:1.4
  profarc push app.parc registry.example/profiles/shop:main
  profarc push app.parc --base jdk.parc --subject registry.example/shop:1.4
  profarc gate app.parc --json >gate.json && profarc push app.parc --gate gate.json --subject registry.example/shop:1.4
  profarc push app.parc --subject registry.example/shop:1.4 --class-path app.jar --min-score 0.9 --sign key.pem`,
		Args:              cli.Args(1, 2, "an archive and a name in a registry"),
		ValidArgsFunction: cli.CompleteArchives(1),
		RunE:              a.Run(func(ctx context.Context, args []string) error { return runPush(ctx, a, args, o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.subject, "subject", "", "`IMAGE` to attach the archive to")
	f.StringVar(&o.base, "base", "", "`ARCHIVE` that the archive is a layer on: it is pushed with it")
	f.StringVar(&o.gate, "gate", "", "output `FILE` of profarc gate --json, to store with the archive")
	f.StringVar(&o.key, "sign", "", "PEM `FILE` of the private key to sign with")
	f.StringSliceVar(&o.on, "platform", nil, "`PLATFORMS` that the archive is for, as linux/amd64,linux/arm64")
	f.BoolVar(&o.keepTag, "immutable", false, "fail if the tag names another archive already")
	f.BoolVar(&o.volume, "volume", false, "push it as an image for volumes of Kubernetes too")
	o.demand.addFlags(f, 0)
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.connection.addFlags(f)
	return cmd
}

// pushed is the output of push.
type pushed struct {
	Archive    string         `json:"archive"`
	Reference  string         `json:"reference"` // reference with the digest
	Tag        string         `json:"tag,omitempty"`
	Digest     string         `json:"digest"`
	Bytes      int64          `json:"bytes"`
	Compressed int64          `json:"compressed_bytes"`
	Base       string         `json:"base,omitempty"` // file name of a layer's base
	There      bool           `json:"was_there"`      // the registry already had this manifest
	Subject    string         `json:"subject,omitempty"`
	AttachedBy registry.Way   `json:"attached_by,omitempty"`
	Signature  string         `json:"signature,omitempty"` // digest of the signature's manifest
	Volumes    []pushedVolume `json:"volumes,omitempty"`
	VolumeTag  string         `json:"volume_tag,omitempty"`
	Facts      artifact.Facts `json:"facts"`

	keepTag bool // see pushOptions
}

func runPush(ctx context.Context, a *cli.App, args []string, o pushOptions) error {
	if err := o.demand.checkFlags(); err != nil {
		return err
	}
	repo, tag, err := o.pushTarget(args)
	if err != nil {
		return err
	}
	var key *ecdsa.PrivateKey
	if o.key != "" {
		key, err = signature.ReadPrivateKey(ctx, o.key)
		if err != nil {
			return err
		}
	}
	return withBase(ctx, a, args[0], o.base, func(s, base *reader.Store) error {
		p, err := pushArchive(ctx, a, s, base, repo, tag, key, o)
		if err != nil {
			return err
		}
		if o.json {
			return a.PrintJSON(p)
		}
		p.printResult(a)
		return nil
	})
}

// pushTarget returns the repository to push to, and the tag of the archive, or "".
func (o *pushOptions) pushTarget(args []string) (repo *registry.Repository, tag string, err error) {
	image, err := o.subjectImage()
	switch {
	case err != nil:
		return nil, "", err
	case len(args) == 1 && image == nil:
		return nil, "", cli.Usagef("name where to push it: REGISTRY/NAME:TAG, or the image to attach it to with --subject")
	case len(args) == 1:
		return image, "", nil
	}
	repo, err = o.openRepository(args[1])
	switch {
	case err != nil:
		return nil, "", err
	case repo.HasReference() && repo.Tag() == "":
		return nil, "", cli.Usagef("%s: what is pushed gets its digest from its content: name a tag or none", args[1])
	case image != nil && image.Name() != repo.Name():
		return nil, "", cli.Usagef("%s: what is attached to an image lies in its repository, %s: name a tag in it, or none",
			args[1], image.Name())
	}
	return repo, repo.Tag(), nil
}

// subjectImage returns the repository of --subject, or nil without this flag.
func (o *pushOptions) subjectImage() (*registry.Repository, error) {
	if o.subject == "" {
		return nil, nil
	}
	return o.openRepository(o.subject)
}

// pushArchive uploads an archive. base is nil if the archive is not a layer.
func pushArchive(ctx context.Context, a *cli.App, s, base *reader.Store, repo *registry.Repository, tag string,
	key *ecdsa.PrivateKey, o pushOptions) (*pushed, error) {
	p := &pushed{Archive: s.Mapping().Name(), Bytes: s.Header().FileSize, Base: o.base, Tag: tag, keepTag: o.keepTag}
	subject, err := o.resolveSubject(ctx)
	if err != nil {
		return nil, err
	}
	p.Facts, err = verifiedFacts(ctx, a, s, o)
	if err != nil {
		return nil, err
	}
	if err := o.checkVolume(p.Facts, p.Archive); err != nil {
		return nil, err
	}
	packed, err := packLayers(ctx, a, s, base)
	defer func() {
		for _, one := range packed {
			one.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	var v *artifact.Volume
	if o.volume {
		v, err = packVolume(ctx, a, s, base)
		if err != nil {
			return nil, err
		}
		defer v.Close()
	}
	return p, p.uploadPacked(ctx, a, repo, packed, v, subject, key)
}

// uploadPacked uploads packed archives, then the manifest that refers to them, and then the volume unless it is nil.
func (p *pushed) uploadPacked(ctx context.Context, a *cli.App, repo *registry.Repository, packed []*artifact.Packed,
	v *artifact.Volume, subject *ocispec.Descriptor, key *ecdsa.PrivateKey) error {
	layers, err := pushLayers(ctx, a, repo, packed)
	if err != nil {
		return err
	}
	p.Compressed = layers[0].Size
	d, err := p.pushManifest(ctx, repo, layers, subject)
	if err != nil {
		return err
	}
	p.Digest = d.Digest.String()
	p.Reference = repo.Full(p.Digest)
	if key != nil {
		signed, err := attachSignature(ctx, repo, key, d, p.Facts)
		if err != nil {
			return err
		}
		p.Signature = signed.Digest.String()
	}
	if v != nil {
		if err := p.uploadVolume(ctx, a, repo, v, d, key); err != nil {
			return err
		}
	}
	if subject != nil { // last, so that an attached archive always has its signature
		p.Subject = repo.Full(subject.Digest.String())
		p.AttachedBy, err = repo.Attach(ctx, subject.Digest, d)
	}
	return err
}

// resolveSubject returns the image of --subject, or nil without this flag.
func (o *pushOptions) resolveSubject(ctx context.Context) (*ocispec.Descriptor, error) {
	image, err := o.subjectImage()
	if err != nil || image == nil {
		return nil, err
	}
	d, err := image.Resolve(ctx, image.Reference())
	return &d, err
}

// verifiedFacts returns the facts about an archive. It returns an error if the archive is damaged, or does not fit the
// code of --class-path.
func verifiedFacts(ctx context.Context, a *cli.App, s *reader.Store, o pushOptions) (artifact.Facts, error) {
	if err := verifyPages(ctx, a, s); err != nil {
		return artifact.Facts{}, err
	}
	f, err := artifact.FactsOf(s)
	if err == nil {
		err = o.addPlatforms(&f)
	}
	if err == nil && o.gate != "" {
		f.Gate, err = readGateReport(ctx, o.gate, s.Mapping().Name())
	}
	if err != nil || len(o.classPath) == 0 {
		return f, err
	}
	jdk, version := homeOf(jdk.FindJava(""))
	if !slices.Contains(f.Builds, version) {
		jdk = ""
	}
	score, _, err := o.judgeFit(ctx, s, jdk)
	if err != nil {
		err = fmt.Errorf("%s and %s: %w: train again with this code", s.Mapping().Name(), &o.demand, err)
	}
	f.Score = fmt.Sprintf("%.4f", score)
	return f, err
}

// addPlatforms replaces the platforms of the archive if --platform is set.
func (o *pushOptions) addPlatforms(f *artifact.Facts) error {
	if len(o.on) > 0 {
		f.Platforms = nil
	}
	for _, text := range o.on {
		p, err := artifact.ParsePlatform(text)
		if err != nil {
			return cli.Usagef("--platform %w", err)
		}
		f.Platforms = append(f.Platforms, p)
	}
	slices.Sort(f.Platforms)
	f.Platforms = slices.Compact(f.Platforms)
	return nil
}

// verifyPages verifies the checksums of all pages.
func verifyPages(ctx context.Context, a *cli.App, s *reader.Store) error {
	m := a.Meter("verifying " + s.Mapping().Name())
	defer m.Done()
	report, err := verify.Pages(ctx, s, m.Report)
	if err == nil && !report.Sound() {
		err = report.Problems[0]
	}
	return err
}

// packLayers packs an archive, and its base unless base is nil. The caller closes packed even after an error.
func packLayers(ctx context.Context, a *cli.App, s, base *reader.Store) (packed []*artifact.Packed, err error) {
	stores := []*reader.Store{s}
	if base != nil {
		if err := verifyPages(ctx, a, base); err != nil {
			return nil, err
		}
		stores = append(stores, base)
	}
	titles := titlesOf(stores)
	for i, s := range stores {
		p, err := artifact.Pack(ctx, s, titles[i], filepath.Dir(s.Mapping().Name()))
		if err != nil {
			return packed, err
		}
		packed = append(packed, p)
	}
	return packed, nil
}

// titlesOf returns different file names for archives. Other clients write all of them to the same folder.
func titlesOf(stores []*reader.Store) (titles []string) {
	for _, s := range stores {
		title := filepath.Base(s.Mapping().Name())
		if slices.Contains(titles, title) {
			title = "base-" + title
		}
		titles = append(titles, title)
	}
	return titles
}

// pushLayers uploads packed archives that the repository lacks.
func pushLayers(ctx context.Context, a *cli.App, repo *registry.Repository,
	packed []*artifact.Packed) (layers []ocispec.Descriptor, err error) {
	m := a.Meter("pushing to " + repo.Name())
	defer m.Done()
	for _, p := range packed {
		err := repo.PushBlob(ctx, p.Layer, func() (io.Reader, error) {
			return &metered{p.Reader(), m, 0, p.Layer.Size}, nil
		})
		if err != nil {
			return nil, err
		}
		layers = append(layers, p.Layer)
	}
	return layers, pushEmptyConfig(ctx, repo)
}

// pushManifest uploads the manifest of layers, unless the registry has it with the same tag.
func (p *pushed) pushManifest(ctx context.Context, repo *registry.Repository, layers []ocispec.Descriptor,
	subject *ocispec.Descriptor) (d ocispec.Descriptor, err error) {
	manifest, err := artifact.Manifest(p.Facts, layers, subject)
	if err != nil {
		return d, err
	}
	there, err := repo.Resolve(ctx, cmp.Or(p.Tag, digest.FromBytes(manifest).String()))
	if err != nil && !registry.IsMissing(err) {
		return d, err
	}
	p.There = err == nil && there.Digest == digest.FromBytes(manifest)
	if p.There {
		return there, nil
	}
	if err == nil && p.keepTag && p.Tag != "" {
		return d, fmt.Errorf("%s: it names %.19s already, and --immutable keeps it: push with another tag",
			repo.Full(p.Tag), there.Digest)
	}
	return repo.PushManifest(ctx, ocispec.MediaTypeImageManifest, manifest, p.Tag)
}

func (p *pushed) printResult(a *cli.App) {
	if p.There {
		fmt.Fprintf(a.Out, "there   %s, %s: the registry has it already\n", p.Archive, cli.FormatSize(p.Bytes))
	} else {
		fmt.Fprintf(a.Out, "pushed  %s, %s as %s\n", p.Archive, cli.FormatSize(p.Bytes), cli.FormatSize(p.Compressed))
	}
	fmt.Fprintf(a.Out, "        %s\n", p.Reference)
	if len(p.Facts.Platforms) > 0 {
		fmt.Fprintf(a.Out, "        for %s\n", artifact.JoinPlatforms(p.Facts.Platforms))
	}
	if p.Tag != "" {
		fmt.Fprintf(a.Out, "        tagged %s\n", p.Tag)
	}
	if p.Base != "" {
		fmt.Fprintf(a.Out, "        with its base %s\n", p.Base)
	}
	if p.Subject != "" {
		fmt.Fprintf(a.Out, "        attached to %s by its registry's %s\n", p.Subject, p.AttachedBy)
	}
	if p.Facts.Gate != "" {
		fmt.Fprintf(a.Out, "        gate: %s\n", p.Facts.Gate)
	}
	for _, v := range p.Volumes {
		fmt.Fprintf(a.Out, "        volume for %s: %s%s\n", v.Platform, v.Reference, cli.Note(p.VolumeTag != "", "tagged "+
			p.VolumeTag))
	}
	if p.Signature != "" {
		fmt.Fprintf(a.Out, "        signed by %s\n", p.Signature)
	}
}
