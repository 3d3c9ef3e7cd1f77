package main

import (
	"encoding/json"
	"slices"
	"strings"
)

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
	command := "go run ./.ci/release -targets " + targets + " " + r.Version + " FOLDER"
	return definition{
		BuildType: project + "/tree/main/.ci/release",
		External:  map[string]string{"version": r.Version, "targets": targets, "command": command},
		Internal:  map[string][]string{"go": {r.goVersion}, "flags": r.flags(), "environment": slices.Clone(settings)},
		Resolved: []resource{{URI: "git+" + project + "@" + r.Revision,
			Digest: map[string]string{"gitCommit": r.Revision}}},
	}
}
