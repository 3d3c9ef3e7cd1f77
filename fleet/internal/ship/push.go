package ship

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/signature"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/parse/jdk"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

type pushOptions struct {
	connection
	demand
	subject string
	key     string
	json    bool
}

const pushHelp = `Push verifies an archive, compresses it, and puts it into a registry as an OCI artifact. Its annotations
say what it is of: the build of the VM, the program, its dumps, how many methods. The same archive gets
the same digest, so that pushing twice changes nothing.

With --subject IMAGE the archive is attached to an image: profarc pull IMAGE then finds it. It lies in the
repository of the image, and needs no name of its own. Where a registry has no referrers API tags lead to
it, which several pushes at once do not take from each other.

--class-path compares the profiles with the code first, as profarc check does, and records the score. The
JDK is that of JAVA_HOME or PATH, if it is of the recorded build.
--sign adds a signature in the form of Sigstore: an ECDSA P-256 key in a PEM file.

Credentials are those of docker's configuration: run docker login first. On loopback addresses the
registry is spoken to by plain HTTP.`

func pushCommand(a *cli.App) *cobra.Command {
	var o pushOptions
	cmd := &cobra.Command{
		Use:     "push ARCHIVE [NAME] [--subject IMAGE]",
		Short:   shortOf("push"),
		GroupID: Group,
		Long:    pushHelp,
		Example: `  profarc push app.parc --subject registry.example/shop:1.4
  profarc push app.parc registry.example/profiles/shop:main
  profarc push app.parc --subject registry.example/shop:1.4 --class-path app.jar --min-score 0.9 --sign key.pem`,
		Args:              cli.Args(1, 2, "an archive and a name in a registry"),
		ValidArgsFunction: cli.CompleteArchives(1),
		RunE:              a.Run(func(ctx context.Context, args []string) error { return runPush(ctx, a, args, o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.subject, "subject", "", "image to attach the archive to")
	f.StringVar(&o.key, "sign", "", "PEM file of the private key to sign with")
	o.demand.addTo(f, 0)
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.connection.addTo(f)
	return cmd
}

// A pushed archive is what push prints.
type pushed struct {
	Archive    string         `json:"archive"`
	Reference  string         `json:"reference"` // with the digest
	Tag        string         `json:"tag,omitempty"`
	Digest     string         `json:"digest"`
	Bytes      int64          `json:"bytes"`
	Compressed int64          `json:"compressed_bytes"`
	Subject    string         `json:"subject,omitempty"`
	AttachedBy registry.Way   `json:"attached_by,omitempty"`
	Signature  string         `json:"signature,omitempty"` // digest of its manifest
	Facts      artifact.Facts `json:"facts"`
}

func runPush(ctx context.Context, a *cli.App, args []string, o pushOptions) error {
	if err := o.demand.check(); err != nil {
		return err
	}
	repo, tag, err := o.target(args)
	if err != nil {
		return err
	}
	var key *ecdsa.PrivateKey
	if o.key != "" {
		if key, err = signature.ReadPrivateKey(o.key); err != nil {
			return err
		}
	}
	return a.WithStore(ctx, args[0], func(s *reader.Store) error {
		p, err := push(ctx, a, s, repo, tag, key, o)
		if err != nil {
			return err
		}
		if o.json {
			return a.PrintJSON(p)
		}
		p.print(a)
		return nil
	})
}

// target returns the repository to push to, and the tag to give there, if any.
func (o *pushOptions) target(args []string) (repo *registry.Repository, tag string, err error) {
	image, err := o.image()
	switch {
	case err != nil:
		return nil, "", err
	case len(args) == 1 && image == nil:
		return nil, "", cli.Usagef("name where to push it: REGISTRY/NAME:TAG, or the image to attach it to with --subject")
	case len(args) == 1:
		return image, "", nil
	}
	repo, err = o.open(args[1])
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

// image returns the repository of the image to attach to, nil if there is none.
func (o *pushOptions) image() (*registry.Repository, error) {
	if o.subject == "" {
		return nil, nil
	}
	return o.open(o.subject)
}

// push puts an archive into a registry.
func push(ctx context.Context, a *cli.App, s *reader.Store, repo *registry.Repository, tag string,
	key *ecdsa.PrivateKey, o pushOptions) (*pushed, error) {
	p := &pushed{Archive: s.Mapping().Name(), Bytes: s.Header().FileSize, Tag: tag}
	subject, err := o.resolveSubject(ctx)
	if err != nil {
		return nil, err
	}
	if p.Facts, err = verifiedFacts(ctx, a, s, o); err != nil {
		return nil, err
	}
	packed, err := artifact.Pack(ctx, s, filepath.Base(p.Archive), filepath.Dir(p.Archive))
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	return p, p.send(ctx, a, repo, packed, subject, key)
}

// send uploads a packed archive: first the layer, then what names it.
func (p *pushed) send(ctx context.Context, a *cli.App, repo *registry.Repository, packed *artifact.Packed,
	subject *ocispec.Descriptor, key *ecdsa.PrivateKey) error {
	d, err := pushArtifact(ctx, a, repo, packed, p.Facts, subject, p.Tag)
	if err != nil {
		return err
	}
	p.Compressed, p.Digest, p.Reference = packed.Layer.Size, d.Digest.String(), repo.Full(d.Digest.String())
	if key != nil {
		signed, err := sign(ctx, repo, key, d, p.Facts)
		if err != nil {
			return err
		}
		p.Signature = signed.Digest.String()
	}
	if subject != nil { // last: whoever finds the archive finds its signature
		p.Subject = repo.Full(subject.Digest.String())
		p.AttachedBy, err = repo.Attach(ctx, subject.Digest, d)
	}
	return err
}

// resolveSubject returns the image to attach to, nil if there is none.
func (o *pushOptions) resolveSubject(ctx context.Context) (*ocispec.Descriptor, error) {
	image, err := o.image()
	if err != nil || image == nil {
		return nil, err
	}
	d, err := image.Resolve(ctx, image.Reference())
	return &d, err
}

// verifiedFacts returns the facts about an archive that is sound, and fits the code if one is named.
func verifiedFacts(ctx context.Context, a *cli.App, s *reader.Store, o pushOptions) (artifact.Facts, error) {
	m := a.Meter("verifying " + s.Mapping().Name())
	defer m.Done()
	report, err := verify.Pages(ctx, s, m.Report)
	if err != nil {
		return artifact.Facts{}, err
	}
	if !report.Sound() {
		return artifact.Facts{}, report.Problems[0]
	}
	f, err := artifact.FactsOf(s)
	if err != nil || len(o.classPath) == 0 {
		return f, err
	}
	jdk, version := homeOf(jdk.FindJava(""))
	if !slices.Contains(f.Builds, version) {
		jdk = ""
	}
	score, _, err := o.judge(ctx, s, jdk)
	if err != nil {
		err = fmt.Errorf("%s and %s: %w: train again with this code", s.Mapping().Name(), &o.demand, err)
	}
	f.Score = fmt.Sprintf("%.4f", score)
	return f, err
}

// pushArtifact uploads the layer, and then the manifest.
func pushArtifact(ctx context.Context, a *cli.App, repo *registry.Repository, p *artifact.Packed, f artifact.Facts,
	subject *ocispec.Descriptor, tag string) (ocispec.Descriptor, error) {
	m := a.Meter("pushing to " + repo.Name())
	defer m.Done()
	manifest, err := artifact.Manifest(f, p.Layer, subject)
	if err == nil {
		err = repo.PushBlob(ctx, p.Layer, func() (io.Reader, error) { return &metered{p.Reader(), m, 0, p.Layer.Size}, nil })
	}
	if err == nil {
		err = pushEmptyConfig(ctx, repo)
	}
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	return repo.PushManifest(ctx, ocispec.MediaTypeImageManifest, manifest, tag)
}

func (p *pushed) print(a *cli.App) {
	fmt.Fprintf(a.Out, "pushed  %s, %s as %s\n", p.Archive, cli.FormatSize(p.Bytes), cli.FormatSize(p.Compressed))
	fmt.Fprintf(a.Out, "        %s\n", p.Reference)
	if p.Tag != "" {
		fmt.Fprintf(a.Out, "        tagged %s\n", p.Tag)
	}
	if p.Subject != "" {
		fmt.Fprintf(a.Out, "        attached to %s by its registry's %s\n", p.Subject, p.AttachedBy)
	}
	if p.Signature != "" {
		fmt.Fprintf(a.Out, "        signed by %s\n", p.Signature)
	}
}
