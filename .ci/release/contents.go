package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/profarc/profarc/ci/licences"
)

// A bom is a bill of materials in CycloneDX 1.5.
type bom struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []choice   `json:"licenses"`
	URL        string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type choice struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// writeContents writes the bill of materials of a program.
func (r *release) writeContents(p licences.Program, b built) error {
	list, err := r.contents(p, b)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return r.writeFile(b.name+".cdx.json", append(data, '\n'))
}

// contents returns the bill of materials according to the build information in the program.
func (r *release) contents(p licences.Program, b built) (*bom, error) {
	this := component{Type: "application", Ref: b.name, Name: p.Name, Version: r.Version,
		Hashes: []hash{{"SHA-256", b.sha256}}, Licences: licenceChoices([]string{"Apache-2.0"})}
	for _, s := range b.info.Settings {
		this.Properties = append(this.Properties, property{"go:build:" + s.Key, s.Value})
	}
	list := &bom{Format: "CycloneDX", SpecVersion: "1.5", Serial: serialNumber(b.sha256), Version: 1,
		Metadata: metadata{this}, Components: []component{{Type: "library", Ref: licences.Standard, Name: licences.Standard,
			Version: b.info.GoVersion, Licences: licenceChoices(r.names[licences.Standard]),
			URL: "pkg:golang/std@" + strings.TrimPrefix(b.info.GoVersion, "go")}}}
	uses := dependency{b.name, []string{licences.Standard}}
	for _, m := range b.info.Deps {
		c := r.moduleOf(m)
		if len(c.Licences) == 0 {
			return nil, fmt.Errorf("%s: its licence is not known", m.Path)
		}
		list.Components = append(list.Components, c)
		uses.DependsOn = append(uses.DependsOn, c.Ref)
	}
	list.Dependencies = []dependency{uses}
	return list, nil
}

// moduleOf describes a module. The main module, which fleet replaces by its local folder, has the version of the
// release.
func (r *release) moduleOf(m *debug.Module) component {
	c := component{Type: "library", Name: m.Path, Version: m.Version, Licences: licenceChoices(r.names[m.Path])}
	if m.Replace != nil && strings.HasPrefix(m.Replace.Path, ".") {
		c.Version, c.Licences = r.Version, licenceChoices([]string{"Apache-2.0"})
	}
	c.URL = "pkg:golang/" + m.Path + "@" + c.Version
	c.Ref = c.URL
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}

func licenceChoices(names []string) []choice {
	list := make([]choice, len(names))
	for i, name := range names {
		list[i].Licence.ID = name
	}
	return list
}

// serialNumber returns a serial number derived from a file's checksum, a UUID of version 8 for custom data.
func serialNumber(sum string) string {
	return "urn:uuid:" + sum[:8] + "-" + sum[8:12] + "-8" + sum[13:16] + "-a" + sum[17:20] + "-" + sum[20:32]
}

// A statement is an in-toto statement of version 1 with SLSA's provenance of version 1.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     provenance `json:"predicate"`
}

type resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

type provenance struct {
	Definition definition `json:"buildDefinition"`
	Details    details    `json:"runDetails"`
}

type definition struct {
	BuildType string              `json:"buildType"`
	External  map[string]string   `json:"externalParameters"`
	Internal  map[string][]string `json:"internalParameters"`
	Resolved  []resource          `json:"resolvedDependencies"`
}

type details struct {
	Builder builder `json:"builder"`
}

type builder struct {
	ID string `json:"id"`
}

// writeProvenance writes provenance.json. It has no times, so that builds are reproducible.
func (r *release) writeProvenance(programs []built) error {
	data, err := json.MarshalIndent(r.provenance(programs), "", "  ")
	if err != nil {
		return err
	}
	return r.writeFile("provenance.json", append(data, '\n'))
}

func (r *release) provenance(programs []built) *statement {
	s := &statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1",
		Predicate: provenance{r.definition(), details{builder{r.Builder}}}}
	for _, b := range programs {
		s.Subject = append(s.Subject, resource{Name: b.name, Digest: map[string]string{"sha256": b.sha256}})
	}
	return s
}

func (r *release) definition() definition {
	targets := strings.Join(r.Targets, ",")
	command := "go run -C .ci ./release -targets " + targets + " " + r.Version + " FOLDER"
	return definition{
		BuildType: project + "/tree/main/.ci/release",
		External:  map[string]string{"version": r.Version, "targets": targets, "command": command},
		Internal:  map[string][]string{"go": {r.goVersion}, "flags": r.flags(), "environment": slices.Clone(settings)},
		Resolved: []resource{{URI: "git+" + project + "@" + r.Revision,
			Digest: map[string]string{"gitCommit": r.Revision}}},
	}
}
