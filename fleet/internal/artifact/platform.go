package artifact

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// A Platform is an operating system and a processor by their names in OCI images, such as linux/amd64 or
// linux/arm/v7.
type Platform string

// OwnPlatform returns the platform of this program.
func OwnPlatform() Platform { return Platform(runtime.GOOS + "/" + runtime.GOARCH) }

var platformForm = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9_]+(/[a-z0-9.]+)?$`)

// ociNames maps names of HotSpot and uname to names of OCI.
var ociNames = map[string]string{"x86_64": "amd64", "x86": "386", "aarch64": "arm64", "bsd": "darwin",
	"macos": "darwin", "s390": "s390x"}

// ParsePlatform returns the platform OS/PROCESSOR or OS/PROCESSOR/VARIANT. It accepts names of uname.
func ParsePlatform(text string) (Platform, error) {
	words := strings.Split(strings.ToLower(text), "/")
	for i, word := range words {
		if name, ok := ociNames[word]; ok {
			words[i] = name
		}
	}
	p := Platform(strings.Join(words, "/"))
	if !platformForm.MatchString(string(p)) {
		return "", fmt.Errorf("%q is no platform: name one as linux/amd64 or linux/arm64", text)
	}
	return p, nil
}

var hotSpotPlatform = regexp.MustCompile(`\) for ([a-z0-9]+)-([a-z0-9_]+)`)

// platformOfVM returns the platform in HotSpot's description of itself, such as linux/arm64 in "OpenJDK 64-Bit Server
// VM (17.0.14+7) for linux-aarch64 JRE ...". It returns "" for other texts.
func platformOfVM(vm string) Platform {
	found := hotSpotPlatform.FindStringSubmatch(vm)
	if found == nil {
		return ""
	}
	p, _ := ParsePlatform(found[1] + "/" + found[2]) // "" after an error
	return p
}

// PlatformOf returns the platform of a descriptor in an index, otherwise "". Attestations in an index have the platform
// unknown.
func PlatformOf(d ocispec.Descriptor) Platform {
	p := d.Platform
	if p == nil || p.OS == "unknown" || p.Architecture == "unknown" {
		return ""
	}
	text := p.OS + "/" + p.Architecture
	if p.Variant != "" {
		text += "/" + p.Variant
	}
	parsed, _ := ParsePlatform(text) // "" after an error
	return parsed
}

// describe returns the platform for a descriptor or a configuration of an image.
func (p Platform) describe() *ocispec.Platform {
	words := append(strings.Split(string(p), "/"), "", "")
	return &ocispec.Platform{OS: words[0], Architecture: words[1], Variant: words[2]}
}

// Serves reports whether a program of platform p runs on another one. A missing variant matches all.
func (p Platform) Serves(on Platform) bool {
	return p == on || strings.HasPrefix(string(p), string(on)+"/") || strings.HasPrefix(string(on), string(p)+"/")
}

// AnyServes reports whether one of the platforms serves another one. No platforms mean all.
func AnyServes(platforms []Platform, on Platform) bool {
	return len(platforms) == 0 || slices.ContainsFunc(platforms, func(p Platform) bool { return p.Serves(on) })
}

// JoinPlatforms lists platforms with commas.
func JoinPlatforms(platforms []Platform) string {
	var words []string
	for _, p := range platforms {
		words = append(words, string(p))
	}
	return strings.Join(words, ", ")
}
