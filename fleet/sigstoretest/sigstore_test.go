// Package sigstoretest verifies our signatures with Sigstore's own library. It is a module of
// its own, since that library has many dependencies.
package sigstoretest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	sigstore "github.com/sigstore/sigstore/pkg/signature"

	"github.com/profarc/profarc/fleet/internal/signature"
)

// accepts reports whether Sigstore's library accepts a bundle as the signature of a digest by a key.
func accepts(t *testing.T, text []byte, key *ecdsa.PublicKey, signed digest.Digest) error {
	t.Helper()
	var b bundle.Bundle
	if err := b.UnmarshalJSON(text); err != nil {
		return err
	}
	var names struct {
		Material struct {
			PublicKey struct{ Hint string }
		} `json:"verificationMaterial"`
	}
	if err := json.Unmarshal(text, &names); err != nil || names.Material.PublicKey.Hint == "" {
		t.Fatalf("no hint: %v", err)
	}
	verifier, err := sigstore.LoadVerifier(key, crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	trusted := root.NewTrustedPublicKeyMaterialFromMapping(map[string]*root.ExpiringKey{
		names.Material.PublicKey.Hint: root.NewExpiringKey(verifier, time.Time{}, time.Time{}),
	})
	v, err := verify.NewVerifier(trusted, verify.WithNoObserverTimestamps())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := hex.DecodeString(signed.Encoded())
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.Verify(&b, verify.NewPolicy(verify.WithArtifactDigest(string(signed.Algorithm()), sum), verify.WithKey()))
	return err
}

func TestSigstoreAcceptsOurSignatures(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signed := digest.FromString("a manifest")
	text, err := signature.Sign(key, signed)
	if err != nil {
		t.Fatal(err)
	}
	if err := accepts(t, text, &key.PublicKey, signed); err != nil {
		t.Error(err)
	}
	if accepts(t, text, &other.PublicKey, signed) == nil {
		t.Error("it accepts another key")
	}
	if accepts(t, text, &key.PublicKey, digest.FromString("another")) == nil {
		t.Error("it accepts another digest")
	}
}
