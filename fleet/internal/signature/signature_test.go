package signature

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
)

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSignedDigestAndKeyAloneAreAccepted(t *testing.T) {
	t.Parallel()
	key, signed := newKey(t), digest.FromString("a manifest")
	bundle, err := Sign(key, signed)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := Sign(key, signed); !bytes.Equal(again, bundle) {
		t.Error("the same key makes another bundle of the same digest")
	}
	if err := Verify(&key.PublicKey, bundle, signed); err != nil {
		t.Error(err)
	}
	if err := Verify(&newKey(t).PublicKey, bundle, signed); !errors.Is(err, ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	if err := Verify(&key.PublicKey, bundle, digest.FromString("another")); !errors.Is(err, ErrSignature) {
		t.Errorf("another digest: %v", err)
	}
}

// Whatever byte of a bundle changes: it is accepted only if it says the same.
func TestChangedBundleIsRefused(t *testing.T) {
	t.Parallel()
	key, signed := newKey(t), digest.FromString("a manifest")
	text, err := Sign(key, signed)
	if err != nil {
		t.Fatal(err)
	}
	var want bundle
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for i := range text {
		changed := bytes.Clone(text)
		changed[i] ^= 0x01
		if Verify(&key.PublicKey, changed, signed) != nil {
			continue
		}
		var got bundle
		if err := json.Unmarshal(changed, &got); err != nil || !bytes.Equal(got.Envelope.Payload, want.Envelope.Payload) {
			t.Errorf("byte %d changed, and it is accepted: %s", i, changed)
		}
	}
}

// A bundle of another form is refused even if its signature is right.
func TestOtherFormsAreRefused(t *testing.T) {
	t.Parallel()
	key, signed := newKey(t), digest.FromString("a manifest")
	text, err := Sign(key, signed)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(b *bundle){
		"another version":         func(b *bundle) { b.MediaType = "application/vnd.dev.sigstore.bundle.v0.2+json" },
		"another type of payload": func(b *bundle) { b.Envelope.PayloadType = "text/plain" },
		"a second signature":      func(b *bundle) { b.Envelope.Signatures = append(b.Envelope.Signatures, dsseSignature{}) },
		"no signature":            func(b *bundle) { b.Envelope.Signatures = nil },
	} {
		t.Run(what, func(t *testing.T) {
			var b bundle
			if err := json.Unmarshal(text, &b); err != nil {
				t.Fatal(err)
			}
			change(&b)
			changed, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			if err := Verify(&key.PublicKey, changed, signed); !errors.Is(err, ErrSignature) {
				t.Errorf("%s: %v, want ErrSignature", what, err)
			}
		})
	}
}

// A statement of another kind says nothing about who vouches for an archive.
func TestOtherStatementsAreRefused(t *testing.T) {
	t.Parallel()
	d := digest.FromString("a manifest")
	for _, payload := range []string{
		`{}`, `[]`, ``,
		`{"_type":"https://in-toto.io/Statement/v1","subject":[{"digest":{"sha256":"` + d.Encoded() +
			`"}}],"predicateType":"https://slsa.dev/provenance/v1","predicate":{}}`,
		`{"_type":"https://in-toto.io/Statement/v1","subject":[{"digest":{"sha512":"` + d.Encoded() +
			`"}}],"predicateType":"` + PredicateType + `","predicate":{}}`,
	} {
		if err := checkStatement([]byte(payload), d); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v", payload, err)
		}
	}
}

func TestKeyFiles(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	pkcs8, _ := x509.MarshalPKCS8PrivateKey(key)
	sec1, _ := x509.MarshalECPrivateKey(key)
	public, _ := x509.MarshalPKIXPublicKey(&key.PublicKey)
	other, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	p384, _ := x509.MarshalPKCS8PrivateKey(other)
	encode := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	for _, test := range []struct{ name, text, want string }{
		{"PKCS 8", encode("PRIVATE KEY", pkcs8), ""},
		{"SEC 1", encode("EC PRIVATE KEY", sec1), ""},
		{"with parameters in front", encode("EC PARAMETERS", []byte{6, 8, 42, 134, 72, 206, 61, 3, 1, 7}) +
			encode("EC PRIVATE KEY", sec1), ""},
		{"public", encode("PUBLIC KEY", public), "private key"},
		{"encrypted", encode("ENCRYPTED SIGSTORE PRIVATE KEY", pkcs8), "unencrypted"},
		{"another curve", encode("PRIVATE KEY", p384), "P-256"},
		{"no key", "hello", "no PEM file"},
		{"damaged", encode("PRIVATE KEY", pkcs8[:40]), "asn1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "key.pem")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := ReadPrivateKey(t.Context(), path)
			if test.want == "" && (err != nil || !got.Equal(key)) ||
				test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s: %v", test.name, err)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "public.pem")
	if err := os.WriteFile(path, []byte(encode("PUBLIC KEY", public)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadPublicKey(t.Context(), path); err != nil || !got.Equal(&key.PublicKey) {
		t.Errorf("%v", err)
	}
}
