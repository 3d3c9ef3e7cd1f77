package artifact

import "testing"

func TestPlatformsOfVMs(t *testing.T) {
	t.Parallel()
	for vm, want := range map[string]Platform{
		"OpenJDK 64-Bit Server VM (17.0.14+7) for linux-amd64 JRE (17.0.14+7), built on Jan 1 2025": "linux/amd64",
		"OpenJDK 64-Bit Server VM (21.0.5+11-LTS) for linux-aarch64 JRE (21.0.5+11-LTS)":            "linux/arm64",
		"OpenJDK 64-Bit Server VM (21) for bsd-aarch64 JRE":                                         "darwin/arm64",
		"OpenJDK 64-Bit Server VM (21) for windows-amd64":                                           "windows/amd64",
		"OpenJDK Zero VM (21) for linux-riscv64 JRE":                                                "linux/riscv64",
		"a VM (1) for all":    "",
		"a VM (1) for linux-": "",
		"":                    "",
	} {
		if got := platformOfVM(vm); got != want {
			t.Errorf("%q is of %q, want %q", vm, got, want)
		}
	}
}

func TestPlatformsByTheirNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Platform{"linux/amd64": "linux/amd64", "Linux/x86_64": "linux/amd64",
		"linux/aarch64": "linux/arm64", "linux/arm/v7": "linux/arm/v7", "macos/arm64": "darwin/arm64"} {
		if got, err := ParsePlatform(text); got != want || err != nil {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "linux", "linux/", "/amd64", "linux/arm/v7/x", "linux amd64",
		"linux/amd64,linux/arm64"} {
		if got, err := ParsePlatform(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

func TestVariantsOfPlatforms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of, on Platform
		want   bool
	}{{"linux/arm/v7", "linux/arm", true}, {"linux/arm", "linux/arm/v7", true}, {"linux/arm/v6", "linux/arm/v7", false},
		{"linux/arm", "linux/arm64", false}, {"linux/arm64", "linux/arm64", true}} {
		if got := AnyServes([]Platform{"plan9/386", c.of}, c.on); got != c.want {
			t.Errorf("%s on %s: %v", c.of, c.on, got)
		}
	}
	if !AnyServes(nil, "linux/arm") {
		t.Error("an archive without a platform is for all")
	}
}
