package licences_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/profarc/profarc/ci/licences"
)

// licenceTable has the licences of the dependencies. Each new dependency needs a row here.
var licenceTable = map[string]string{
	"github.com/RoaringBitmap/roaring/v2":      "Apache-2.0 BSD-3-Clause",
	"github.com/bits-and-blooms/bitset":        "BSD-3-Clause",
	"github.com/cespare/xxhash/v2":             "MIT",
	"github.com/edsrzf/mmap-go":                "BSD-3-Clause",
	"github.com/google/go-cmp":                 "BSD-3-Clause",
	"github.com/google/pprof":                  "Apache-2.0",
	"github.com/ianlancetaylor/demangle":       "BSD-3-Clause",
	"github.com/inconshreveable/mousetrap":     "Apache-2.0",
	"github.com/klauspost/compress":            "Apache-2.0 BSD-3-Clause MIT",
	"github.com/mitchellh/colorstring":         "MIT",
	"github.com/rivo/uniseg":                   "MIT",
	"github.com/rogpeppe/go-internal":          "BSD-3-Clause",
	"github.com/santhosh-tekuri/jsonschema/v6": "Apache-2.0",
	"github.com/schollz/progressbar/v3":        "MIT",
	"github.com/spf13/cobra":                   "Apache-2.0",
	"github.com/spf13/pflag":                   "BSD-3-Clause",
	"golang.org/x/sync":                        "BSD-3-Clause",
	"golang.org/x/arch":                        "BSD-3-Clause",
	"golang.org/x/sys":                         "BSD-3-Clause",
	"golang.org/x/term":                        "BSD-3-Clause",
	"golang.org/x/text":                        "BSD-3-Clause",
	"golang.org/x/tools":                       "BSD-3-Clause",
	"pgregory.net/rapid":                       "MPL-2.0",
	// the tools of tools/go.mod
	"github.com/BurntSushi/toml":       "MIT",
	"github.com/aclements/go-moremath": "BSD-3-Clause",
	"github.com/tetratelabs/wazero":    "Apache-2.0",
	"golang.org/x/exp/typeparams":      "BSD-3-Clause",
	"golang.org/x/mod":                 "BSD-3-Clause",
	"golang.org/x/perf":                "BSD-3-Clause",
	"golang.org/x/telemetry":           "BSD-3-Clause",
	"golang.org/x/vuln":                "BSD-3-Clause",
	"honnef.co/go/tools":               "BSD-2-Clause BSD-3-Clause MIT",
}

// fleetLicences has the licences of dependencies that only the module fleet uses.
var fleetLicences = map[string]string{
	"cel.dev/expr":                                                                        "Apache-2.0",
	"cloud.google.com/go":                                                                 "Apache-2.0",
	"cloud.google.com/go/auth":                                                            "Apache-2.0",
	"cloud.google.com/go/auth/oauth2adapt":                                                "Apache-2.0",
	"cloud.google.com/go/compute/metadata":                                                "Apache-2.0",
	"cloud.google.com/go/iam":                                                             "Apache-2.0",
	"cloud.google.com/go/monitoring":                                                      "Apache-2.0",
	"cloud.google.com/go/storage":                                                         "Apache-2.0",
	"github.com/munnerz/goautoneg":                                                        "BSD-3-Clause",
	"github.com/prometheus/client_model":                                                  "Apache-2.0",
	"github.com/prometheus/common":                                                        "Apache-2.0",
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
	"github.com/google/uuid":                                                              "BSD-3-Clause",
	"github.com/google/wire":                                                              "Apache-2.0",
	"github.com/googleapis/enterprise-certificate-proxy":                                  "Apache-2.0",
	"github.com/googleapis/gax-go/v2":                                                     "BSD-3-Clause",
	"github.com/johannesboyne/gofakes3":                                                   "MIT",
	"github.com/json-iterator/go":                                                         "MIT",
	"github.com/kylelemons/godebug":                                                       "Apache-2.0",
	"github.com/modern-go/concurrent":                                                     "Apache-2.0",
	"github.com/modern-go/reflect2":                                                       "Apache-2.0",
	"github.com/opencontainers/go-digest":                                                 "Apache-2.0",
	"github.com/opencontainers/image-spec":                                                "Apache-2.0",
	"github.com/pkg/browser":                                                              "BSD-2-Clause",
	"github.com/ryszard/goskiplist":                                                       "Apache-2.0",
	"github.com/spiffe/go-spiffe/v2":                                                      "Apache-2.0",
	"github.com/x448/float16":                                                             "MIT",
	"go.opentelemetry.io/auto/sdk":                                                        "Apache-2.0",
	"go.opentelemetry.io/contrib/detectors/gcp":                                           "Apache-2.0 BSD-3-Clause",
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc":         "Apache-2.0 BSD-3-Clause",
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp":                       "Apache-2.0 BSD-3-Clause",
	"go.opentelemetry.io/otel":                                                            "Apache-2.0 BSD-3-Clause",
	"go.opentelemetry.io/otel/metric":                                                     "Apache-2.0 BSD-3-Clause",
	"go.opentelemetry.io/otel/sdk":                                                        "Apache-2.0 BSD-3-Clause",
	"go.opentelemetry.io/otel/sdk/metric":                                                 "Apache-2.0 BSD-3-Clause",
	"go.opentelemetry.io/otel/trace":                                                      "Apache-2.0 BSD-3-Clause",
	"go.yaml.in/yaml/v2":                                                                  "Apache-2.0 MIT",
	"gocloud.dev":                                                                         "Apache-2.0",
	"golang.org/x/crypto":                                                                 "BSD-3-Clause",
	"golang.org/x/net":                                                                    "BSD-3-Clause",
	"golang.org/x/oauth2":                                                                 "BSD-3-Clause",
	"golang.org/x/time":                                                                   "BSD-3-Clause",
	"golang.org/x/xerrors":                                                                "BSD-3-Clause",
	"google.golang.org/api":                                                               "BSD-3-Clause",
	"google.golang.org/genproto":                                                          "Apache-2.0",
	"google.golang.org/genproto/googleapis/api":                                           "Apache-2.0",
	"google.golang.org/genproto/googleapis/rpc":                                           "Apache-2.0",
	"google.golang.org/grpc":                                                              "Apache-2.0",
	"google.golang.org/protobuf":                                                          "BSD-3-Clause",
	"gopkg.in/inf.v0":                                                                     "BSD-3-Clause",
	"k8s.io/api":                                                                          "Apache-2.0",
	"k8s.io/apimachinery":                                                                 "Apache-2.0",
	"k8s.io/klog/v2":                                                                      "Apache-2.0",
	"k8s.io/kube-openapi":                                                                 "Apache-2.0",
	"k8s.io/utils":                                                                        "Apache-2.0",
	"oras.land/oras-go/v2":                                                                "Apache-2.0",
	"sigs.k8s.io/json":                                                                    "Apache-2.0 BSD-3-Clause",
	"sigs.k8s.io/randfill":                                                                "Apache-2.0",
	"sigs.k8s.io/structured-merge-diff/v6":                                                "Apache-2.0",
	"sigs.k8s.io/yaml":                                                                    "Apache-2.0 BSD-3-Clause MIT",
}

// systems are the operating systems whose dependencies are checked, each on one processor.
var systems = []string{"linux/amd64", "darwin/amd64", "windows/amd64"}

// TestLicencesOfFleet is TestLicences for the module fleet.
func TestLicencesOfFleet(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, system := range systems {
		for _, m := range modulesOf(t, "../../fleet", system, "-test", "./...") {
			if m.Path != "github.com/profarc/profarc" && (licenceTable[m.Path] == "" || fleetLicences[m.Path] != "") {
				checkLicence(t, fleetLicences, m, seen)
			}
		}
	}
	for path := range fleetLicences {
		if !seen[path] {
			t.Errorf("%s is no dependency of fleet any more: delete its row in fleetLicences", path)
		}
	}
}

// TestLicences checks the licences of all modules that the command, the library, their tests and tools/go.mod need on
// any system. It reads the module cache and uses no network.
func TestLicences(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, system := range systems {
		for _, m := range modulesOf(t, "../..", system, "-test", "./...") {
			checkLicence(t, licenceTable, m, seen)
		}
	}
	for _, m := range modulesOf(t, "../..", "linux/amd64", "-modfile=tools/go.mod", "tool") {
		checkLicence(t, licenceTable, m, seen)
	}
	for path := range licenceTable {
		if !seen[path] {
			t.Errorf("%s is no dependency any more: delete its row in licenceTable", path)
		}
	}
}

// TestNotice compares NOTICE with the modules linked into releases for any target, and with their licences.
func TestNotice(t *testing.T) {
	t.Parallel()
	want, err := licences.Notice(t.Context(), "../..")
	skipUncached(t, err)
	got, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("NOTICE differs from the output of go run -C .ci ./release -notice")
	}
}

func modulesOf(t *testing.T, folder, target string, args ...string) []licences.Module {
	t.Helper()
	list, err := licences.Modules(t.Context(), folder, target, args...)
	skipUncached(t, err)
	return list
}

func skipUncached(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, licences.ErrNotCached) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// checkLicence compares the licences in a module's folder with its row in a table. It checks each module once.
func checkLicence(t *testing.T, table map[string]string, m licences.Module, seen map[string]bool) {
	t.Helper()
	if seen[m.Path] {
		return
	}
	seen[m.Path] = true
	l, err := licences.Of(m.Folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, phrase := range l.Forbidden {
		t.Errorf("the licence of %s says %q", m.Path, phrase)
	}
	if got := strings.Join(l.Names, " "); got == "" || got != table[m.Path] {
		t.Errorf("%s has the licences %q, the table in licence_test.go says %q", m.Path, got, table[m.Path])
	}
}
