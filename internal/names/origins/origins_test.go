package origins

import (
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/layout"
)

func TestOriginsOfPackages(t *testing.T) {
	t.Parallel()
	const java, llvm, sampled = layout.DomainHotSpot, layout.DomainLLVMIR, layout.DomainSampled
	for _, c := range []struct {
		domain layout.Domain
		name   string
		want   Origin
	}{
		{java, "java.util.concurrent", Runtime}, {java, "javafoo", Own}, {java, "com.sun.tools.javac.code", Runtime},
		{java, "com.acme", Own}, {java, "org.apache.commons", Library}, {java, "net.acme", Own}, {java, "io.netty.buffer",
			Library}, {java, "", Own}, {java, "io", Own},
		{sampled, "runtime", Runtime}, {sampled, "internal/runtime/atomic", Runtime}, {sampled, "net/http", Library},
		{sampled, "main", Own}, {sampled, "github.com/acme/app/internal/store", Own}, {sampled, "golang.org/x/net/http2",
			Library}, {sampled, "std::__1", Runtime}, {sampled, "runtimes", Own},
		{llvm, "std", Runtime}, {llvm, "net", Own}, {llvm, "boost::asio", Library}, {llvm, "app::store", Own},
		{llvm, "core::ptr", Runtime},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Of(c.domain, c.name); got != c.want {
				t.Errorf("%s is %s, want %s", c.name, got, c.want)
			}
		})
	}
}

func TestListHasEachNameOnce(t *testing.T) {
	t.Parallel()
	names := 0
	for line := range strings.Lines(list) {
		origin, rest, _ := strings.Cut(line, " ")
		if !slices.Contains([]Origin{Library, Runtime}, Origin(strings.TrimPrefix(origin, "go-"))) {
			t.Errorf("an unknown origin: %s", line)
		}
		names += len(strings.Fields(rest))
	}
	if got := len(listed()); got != names {
		t.Errorf("%d different names of %d", got, names)
	}
}
