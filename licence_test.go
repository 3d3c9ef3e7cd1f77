package profarc

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// licenceTexts identifies each licence that a dependency may have by a phrase of
// its text, in lower case with single spaces.
var licenceTexts = map[string]string{
	"Apache-2.0": "apache license version 2.0",
	"BSD":        "redistribution and use in source and binary forms, with or without modification, are permitted",
	"MIT":        "permission is hereby granted, free of charge, to any person obtaining a copy",
	"MPL-2.0":    "mozilla public license version 2.0",
}

// forbiddenTexts are phrases of licences that restrict use, or that extend to
// the programs a module is linked into.
var forbiddenTexts = []string{
	"gnu general public license version", "gnu lesser general public license version",
	"gnu affero general public license version",
	"server side public license", "business source license", "commons clause", "noncommercial",
}

// licences lists the dependencies and their licences. A new dependency needs a row here.
var licences = map[string]string{
	"github.com/RoaringBitmap/roaring/v2":      "Apache-2.0 BSD",
	"github.com/bits-and-blooms/bitset":        "BSD",
	"github.com/cespare/xxhash/v2":             "MIT",
	"github.com/edsrzf/mmap-go":                "BSD",
	"github.com/google/go-cmp":                 "BSD",
	"github.com/google/pprof":                  "Apache-2.0",
	"github.com/ianlancetaylor/demangle":       "BSD",
	"github.com/inconshreveable/mousetrap":     "Apache-2.0",
	"github.com/klauspost/compress":            "Apache-2.0 BSD MIT",
	"github.com/mitchellh/colorstring":         "MIT",
	"github.com/rivo/uniseg":                   "MIT",
	"github.com/rogpeppe/go-internal":          "BSD",
	"github.com/santhosh-tekuri/jsonschema/v6": "Apache-2.0",
	"github.com/schollz/progressbar/v3":        "MIT",
	"github.com/spf13/cobra":                   "Apache-2.0",
	"github.com/spf13/pflag":                   "BSD",
	"golang.org/x/sync":                        "BSD",
	"golang.org/x/sys":                         "BSD",
	"golang.org/x/term":                        "BSD",
	"golang.org/x/text":                        "BSD",
	"golang.org/x/tools":                       "BSD",
	"pgregory.net/rapid":                       "MPL-2.0",
	// the tools of tools/go.mod
	"github.com/BurntSushi/toml":       "MIT",
	"github.com/aclements/go-moremath": "BSD",
	"github.com/tetratelabs/wazero":    "Apache-2.0",
	"golang.org/x/exp/typeparams":      "BSD",
	"golang.org/x/mod":                 "BSD",
	"golang.org/x/perf":                "BSD",
	"golang.org/x/telemetry":           "BSD",
	"golang.org/x/vuln":                "BSD",
	"honnef.co/go/tools":               "BSD MIT",
}

// fleetLicences lists the dependencies that only the module fleet has.
var fleetLicences = map[string]string{
	"cel.dev/expr":                                                                        "Apache-2.0",
	"cloud.google.com/go":                                                                 "Apache-2.0",
	"cloud.google.com/go/auth":                                                            "Apache-2.0",
	"cloud.google.com/go/auth/oauth2adapt":                                                "Apache-2.0",
	"cloud.google.com/go/compute/metadata":                                                "Apache-2.0",
	"cloud.google.com/go/iam":                                                             "Apache-2.0",
	"cloud.google.com/go/monitoring":                                                      "Apache-2.0",
	"cloud.google.com/go/storage":                                                         "Apache-2.0",
	"cuelabs.dev/go/oci/ociregistry":                                                      "Apache-2.0",
	"github.com/Azure/azure-sdk-for-go/sdk/azcore":                                        "MIT",
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity":                                    "MIT",
	"github.com/Azure/azure-sdk-for-go/sdk/internal":                                      "MIT",
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob":                                "MIT",
	"github.com/AzureAD/microsoft-authentication-library-for-go":                          "MIT",
	"github.com/GoogleCloudPlatform/opentelemetry-operations-go/detectors/gcp":            "Apache-2.0",
	"github.com/GoogleCloudPlatform/opentelemetry-operations-go/exporter/metric":          "Apache-2.0",
	"github.com/GoogleCloudPlatform/opentelemetry-operations-go/internal/resourcemapping": "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2":                                                        "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream":                               "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/config":                                                 "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/credentials":                                            "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds":                                       "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager":                             "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/internal/configsources":                                 "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/internal/endpoints/v2":                                  "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/internal/v4a":                                           "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding":                       "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/internal/checksum":                              "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/internal/presigned-url":                         "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/internal/s3shared":                              "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/s3":                                             "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/signin":                                         "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/sso":                                            "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/ssooidc":                                        "Apache-2.0",
	"github.com/aws/aws-sdk-go-v2/service/sts":                                            "Apache-2.0",
	"github.com/aws/smithy-go":                                                            "Apache-2.0",
	"github.com/cncf/xds/go":                                                              "Apache-2.0",
	"github.com/envoyproxy/go-control-plane/envoy":                                        "Apache-2.0",
	"github.com/envoyproxy/protoc-gen-validate":                                           "Apache-2.0",
	"github.com/felixge/httpsnoop":                                                        "MIT",
	"github.com/fxamacker/cbor/v2":                                                        "MIT",
	"github.com/go-jose/go-jose/v4":                                                       "Apache-2.0",
	"github.com/go-logr/logr":                                                             "Apache-2.0",
	"github.com/go-logr/stdr":                                                             "Apache-2.0",
	"github.com/golang-jwt/jwt/v5":                                                        "MIT",
	"github.com/google/s2a-go":                                                            "Apache-2.0",
	"github.com/google/uuid":                                                              "BSD",
	"github.com/google/wire":                                                              "Apache-2.0",
	"github.com/googleapis/enterprise-certificate-proxy":                                  "Apache-2.0",
	"github.com/googleapis/gax-go/v2":                                                     "BSD",
	"github.com/johannesboyne/gofakes3":                                                   "MIT",
	"github.com/json-iterator/go":                                                         "MIT",
	"github.com/kylelemons/godebug":                                                       "Apache-2.0",
	"github.com/modern-go/concurrent":                                                     "Apache-2.0",
	"github.com/modern-go/reflect2":                                                       "Apache-2.0",
	"github.com/opencontainers/go-digest":                                                 "Apache-2.0",
	"github.com/opencontainers/image-spec":                                                "Apache-2.0",
	"github.com/pkg/browser":                                                              "BSD",
	"github.com/ryszard/goskiplist":                                                       "Apache-2.0",
	"github.com/spiffe/go-spiffe/v2":                                                      "Apache-2.0",
	"github.com/x448/float16":                                                             "MIT",
	"go.opentelemetry.io/auto/sdk":                                                        "Apache-2.0",
	"go.opentelemetry.io/contrib/detectors/gcp":                                           "Apache-2.0 BSD",
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc":         "Apache-2.0 BSD",
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp":                       "Apache-2.0 BSD",
	"go.opentelemetry.io/otel":                                                            "Apache-2.0 BSD",
	"go.opentelemetry.io/otel/metric":                                                     "Apache-2.0 BSD",
	"go.opentelemetry.io/otel/sdk":                                                        "Apache-2.0 BSD",
	"go.opentelemetry.io/otel/sdk/metric":                                                 "Apache-2.0 BSD",
	"go.opentelemetry.io/otel/trace":                                                      "Apache-2.0 BSD",
	"go.yaml.in/yaml/v2":                                                                  "Apache-2.0 MIT",
	"gocloud.dev":                                                                         "Apache-2.0",
	"golang.org/x/crypto":                                                                 "BSD",
	"golang.org/x/net":                                                                    "BSD",
	"golang.org/x/oauth2":                                                                 "BSD",
	"golang.org/x/time":                                                                   "BSD",
	"golang.org/x/xerrors":                                                                "BSD",
	"google.golang.org/api":                                                               "BSD",
	"google.golang.org/genproto":                                                          "Apache-2.0",
	"google.golang.org/genproto/googleapis/api":                                           "Apache-2.0",
	"google.golang.org/genproto/googleapis/rpc":                                           "Apache-2.0",
	"google.golang.org/grpc":                                                              "Apache-2.0",
	"google.golang.org/protobuf":                                                          "BSD",
	"gopkg.in/inf.v0":                                                                     "BSD",
	"k8s.io/api":                                                                          "Apache-2.0",
	"k8s.io/apimachinery":                                                                 "Apache-2.0",
	"k8s.io/klog/v2":                                                                      "Apache-2.0",
	"k8s.io/kube-openapi":                                                                 "Apache-2.0",
	"k8s.io/utils":                                                                        "Apache-2.0",
	"oras.land/oras-go/v2":                                                                "Apache-2.0",
	"sigs.k8s.io/json":                                                                    "Apache-2.0 BSD",
	"sigs.k8s.io/randfill":                                                                "Apache-2.0",
	"sigs.k8s.io/structured-merge-diff/v6":                                                "Apache-2.0",
	"sigs.k8s.io/yaml":                                                                    "Apache-2.0 BSD MIT",
}

// TestLicencesOfFleet checks the licences of the module fleet in the same way.
func TestLicencesOfFleet(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for path, dir := range modulesOf(t, "fleet", system, "-test", "./...") {
			if path != "github.com/profarc/profarc" && (licences[path] == "" || fleetLicences[path] != "") {
				checkLicence(t, fleetLicences, path, dir, seen)
			}
		}
	}
	for path := range fleetLicences {
		if !seen[path] {
			t.Errorf("%s is no dependency of fleet any more: delete its row in fleetLicences", path)
		}
	}
}

// TestLicences checks the licence of every module whose packages the command, the library, their tests or the
// tools of tools/go.mod are built from, on every system. It reads the module cache and uses no network.
func TestLicences(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for path, dir := range modulesOf(t, ".", system, "-test", "./...") {
			checkLicence(t, licences, path, dir, seen)
		}
	}
	for path, dir := range modulesOf(t, ".", "linux", "-modfile=tools/go.mod", "tool") {
		checkLicence(t, licences, path, dir, seen)
	}
	for path := range licences {
		if !seen[path] {
			t.Errorf("%s is no dependency any more: delete its row in licences", path)
		}
	}
}

// modulesOf returns the folders of the modules that "go list -deps" finds for
// these arguments in the module of a folder, by module path. The module itself is left out.
func modulesOf(t *testing.T, folder, system string, args ...string) map[string]string {
	t.Helper()
	args = append([]string{"list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}"}, args...)
	list := exec.Command("go", args...)
	list.Dir = folder
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOPROXY=off")
	out, err := list.CombinedOutput()
	if err != nil && strings.Contains(string(out), "GOPROXY=off") {
		t.Skipf("a module is not in the module cache: %s", out)
	} else if err != nil {
		t.Fatalf("%s: %v: %s", list, err, out)
	}
	modules := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			modules[path] = dir
		}
	}
	return modules
}

// checkLicence compares the licences in a module's folder with the module's row in a table, once.
func checkLicence(t *testing.T, licences map[string]string, path, dir string, seen map[string]bool) {
	t.Helper()
	if seen[path] {
		return
	}
	seen[path] = true
	text := licenceText(t, dir)
	for _, phrase := range forbiddenTexts {
		if strings.Contains(text, phrase) {
			t.Errorf("the licence of %s says %q", path, phrase)
		}
	}
	var found []string
	for name, phrase := range licenceTexts {
		if strings.Contains(text, phrase) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	if got := strings.Join(found, " "); got == "" || got != licences[path] {
		t.Errorf("%s has the licences %q, the table in licence_test.go says %q", path, got, licences[path])
	}
}

// licenceText returns the text of the licence files in a folder, in lower case with single spaces.
func licenceText(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, e := range entries {
		if !e.IsDir() && regexp.MustCompile(`(?i)^(licen[cs]e|copying)`).MatchString(e.Name()) {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			text.Write(b)
			text.WriteByte('\n')
		}
	}
	return strings.ToLower(strings.Join(strings.Fields(text.String()), " "))
}
