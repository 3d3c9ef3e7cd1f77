package ship

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/profarc/profarc/fleet/internal/registry"
)

func TestWhatIsPushedComesBack(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop := image(t, host, "team/shop:1.4")
		path, data := archiveOf{calls: 7}.write(t)
		first := decoded[pushed](t, must(t, "push", path, "--subject", shop, "--json"))
		again := decoded[pushed](t, must(t, "push", path, "--subject", shop, "--json"))
		if first.Digest != again.Digest || first.Bytes != int64(len(data)) || first.Compressed >= first.Bytes {
			t.Errorf("%+v, then %+v", first, again)
		}
		byImage, byDigest, byTag := newTarget(t), newTarget(t), newTarget(t)
		got := decoded[pulled](t, must(t, "pull", shop, "-o", byImage.path, "--json"))
		if got.Digest != first.Digest || got.Facts.Methods != 3 || got.Facts.Main != "shop.Main" ||
			len(got.Facts.Builds) != 1 || got.Java != ourBuild {
			t.Errorf("%+v", got)
		}
		byImage.holds(t, data)
		must(t, "pull", first.Reference, "-o", byDigest.path)
		byDigest.holds(t, data)
		must(t, "push", path, host+"/team/profiles:main")
		must(t, "pull", host+"/team/profiles:main", "-o", byTag.path)
		byTag.holds(t, data)
	})
}

// The newest that fits is taken, and what was newer is said.
func TestNewestThatFits(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop, other := image(t, host, "shop:1"), image(t, host, "shop:2")
		push := func(o archiveOf, to string) []byte {
			path, data := o.write(t)
			must(t, "push", path, "--subject", to)
			return data
		}
		push(archiveOf{day: 1, calls: 1}, shop)
		want := push(archiveOf{day: 2, calls: 2}, shop)
		newest := push(archiveOf{day: 3, calls: 3, build: "17.0.1+12"}, shop)
		push(archiveOf{day: 4, calls: 4}, other)
		to := newTarget(t)
		if out := must(t, "pull", shop, "-o", to.path); !strings.Contains(out, "left out sha256:") ||
			!strings.Contains(out, "another build of the VM (17.0.1+12), and java is 17.0.14+7") {
			t.Error(out)
		}
		to.holds(t, want)
		must(t, "pull", shop, "-o", to.path, "--any")
		to.holds(t, newest)
		fails(t, "none fits: sha256:", "pull", shop, "-o", to.path, "--fingerprint", "abcd")
		fails(t, "of another program", "pull", shop, "-o", to.path, "--class-path", t.TempDir())
		to.holds(t, newest)
		fails(t, "no archive of profiles is attached to it", "pull", image(t, host, "shop:3"), "-o", to.path)
		fails(t, "has no such thing", "pull", host+"/shop:4", "-o", to.path)
	})
}

// Of several pushes at once none is lost, neither to us nor to those who read the index that
// OCI has where there is no referrers API.
func TestPushesAtOnceAreAllFound(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop := image(t, host, "shop:1")
		const pushes = 8
		var all sync.WaitGroup
		for i := range pushes {
			path, _ := archiveOf{calls: uint64(1 + i)}.write(t)
			all.Go(func() {
				if _, said, code := fleet(t.Context(), "push", path, "--subject", shop); code != 0 {
					t.Error(said)
				}
			})
		}
		all.Wait()
		repo, err := registry.Open(shop, registry.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, err := lookUp(t.Context(), repo, "1")
		if err != nil {
			t.Fatal(err)
		}
		list, err := repo.Attached(t.Context(), n.digest)
		if err != nil || len(list) != pushes {
			t.Errorf("%d are attached, %v", len(list), err)
		}
		index, err := lookUp(t.Context(), repo, strings.Replace(string(n.digest), ":", "-", 1))
		if err == nil && len(index.subjects) != 1+pushes || err != nil && !registry.IsMissing(err) {
			t.Errorf("the index has %v, %v", index, err)
		}
	})
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop := image(t, host, "shop:1")
		private, public := keys(t)
		stranger, strangers := keys(t)
		signed, data := archiveOf{day: 1, calls: 1}.write(t)
		first := decoded[pushed](t, must(t, "push", signed, "--subject", shop, "--sign", private, "--json"))
		again := decoded[pushed](t, must(t, "push", signed, "--subject", shop, "--sign", private, "--json"))
		if first.Signature == "" || first.Signature != again.Signature {
			t.Errorf("%+v, then %+v", first, again)
		}
		unsigned, newer := archiveOf{day: 2, calls: 2}.write(t)
		must(t, "push", unsigned, "--subject", shop)
		foreign, _ := archiveOf{day: 3, calls: 3}.write(t)
		must(t, "push", foreign, "--subject", shop, "--sign", stranger)
		to := newTarget(t)
		got := decoded[pulled](t, must(t, "pull", shop, "-o", to.path, "--key", public, "--json"))
		if !got.Signed || len(got.Skipped) != 2 || !strings.Contains(got.Skipped[0].Why, "not of this key") ||
			got.Skipped[1].Why != "it has no signature" {
			t.Errorf("%+v", got)
		}
		to.holds(t, data)
		fails(t, "it has no signature by the key of", "promote",
			host+"/shop@"+decoded[pushed](t, must(t, "push", unsigned, host+"/shop", "--json")).Digest, "--to", "prod",
			"--key", strangers)
		must(t, "push", unsigned, "--subject", shop, "--sign", private)
		must(t, "pull", shop, "-o", to.path, "--key", public)
		to.holds(t, newer)
	})
}

func TestPromoteAndRollBack(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop, next := image(t, host, "shop:1"), image(t, host, "shop:2")
		var data [3][]byte
		for i := range data {
			var path string
			path, data[i] = archiveOf{day: i, calls: uint64(1 + i)}.write(t)
			to := shop
			if i == 2 {
				to = next
			}
			d := decoded[pushed](t, must(t, "push", path, "--subject", to, "--json"))
			if i > 0 {
				must(t, "promote", d.Reference, "--to", "prod")
			}
			must(t, "promote", to, "--to", "prod") // the newest of the image: for the second time no change
		}
		prod, image1, image2 := newTarget(t), newTarget(t), newTarget(t)
		pull := func() {
			t.Helper()
			must(t, "pull", host+"/shop:prod", "-o", prod.path)
			must(t, "pull", shop, "--promoted", "prod", "-o", image1.path)
		}
		pull()
		must(t, "pull", next, "--promoted", "prod", "-o", image2.path)
		prod.holds(t, data[2])
		image1.holds(t, data[1])
		image2.holds(t, data[2])
		must(t, "rollback", host+"/shop:prod")
		pull()
		prod.holds(t, data[1])
		fails(t, "no archive for it was promoted to prod", "pull", next, "--promoted", "prod", "-o", image2.path)
		must(t, "rollback", host+"/shop:prod")
		pull()
		prod.holds(t, data[0])
		image1.holds(t, data[0])
		fails(t, "there is no archive before the current one", "rollback", host+"/shop:prod")
		h := decoded[channelReport](t, must(t, "history", host+"/shop:prod", "--json"))
		var what []string
		for _, e := range h.History {
			what = append(what, e.What)
		}
		if got := fmt.Sprint(what); got != "[promote promote promote rollback rollback]" || len(h.Before) != 0 {
			t.Errorf("%s, %+v", got, h)
		}
		fails(t, "nothing was promoted to it", "rollback", shop)
		fails(t, "nothing was promoted to it", "promote", next, "--to", "1")
	})
}

// What cannot be meant is a usage error, before anything is asked.
func TestUsage(t *testing.T) {
	t.Parallel()
	path, _ := archiveOf{calls: 1}.write(t)
	out := filepath.Join(t.TempDir(), "out.parc")
	for want, args := range map[string][]string{
		"name where to push it":          {"push", path},
		"names nothing in a registry":    {"push", path, "shop:1"},
		"name a tag or none":             {"push", path, "localhost:1/shop@sha256:" + strings.Repeat("a", 64)},
		"lies in its repository":         {"push", path, "localhost:1/other", "--subject", "localhost:1/shop:1"},
		"name the archive to write":      {"pull", "localhost:1/shop:1"},
		"say one or the other":           {"pull", "localhost:1/shop:1", "-o", out, "--any", "--class-path", "."},
		"give a share from 0 to 1":       {"pull", "localhost:1/shop:1", "-o", out, "--min-score", "2"},
		"name the tag to promote to":     {"promote", "localhost:1/shop:1"},
		"--timeout 0s: give a positive":  {"pull", "localhost:1/shop:1", "-o", out, "--timeout", "0s"},
		"--max-time -1s: give a positi":  {"pull", "localhost:1/shop:1", "-o", out, "--max-time", "-1s"},
		"name the tag that archives are": {"rollback", "localhost:1/shop"},
	} {
		t.Run(want, func(t *testing.T) {
			_, said, code := fleet(t.Context(), args...)
			if code != 2 || !strings.Contains(said, want) || strings.Count(said, "\n") != 1 {
				t.Errorf("%v: exit code %d, %q, want %q", args, code, said, want)
			}
		})
	}
}
