// Package signature signs the digests of manifests, and verifies signatures. A signature is a Sigstore bundle v0.3 with
// a DSSE envelope of an in-toto statement, which cosign and Sigstore's libraries can verify. Keys are ECDSA P-256.
//
// Signatures are deterministic (RFC 6979).
package signature

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/opencontainers/go-digest"

	"github.com/profarc/profarc/internal/cli"
)

// BundleType is the media type of a bundle, and the artifact type of the manifest that attaches it.
const BundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// PredicateType is the type of a statement that only asserts a signature.
const PredicateType = "https://sigstore.dev/cosign/sign/v1"

const (
	payloadType   = "application/vnd.in-toto+json"
	statementType = "https://in-toto.io/Statement/v1"
)

// ErrSignature means that a bundle is not a valid signature of the digest by the key.
var ErrSignature = errors.New("not a valid signature")

// A bundle holds the fields of a Sigstore bundle that this package uses.
type bundle struct {
	MediaType string   `json:"mediaType"`
	Material  material `json:"verificationMaterial"`
	Envelope  envelope `json:"dsseEnvelope"`
}

type material struct {
	PublicKey struct {
		Hint string `json:"hint"`
	} `json:"publicKey"`
}

type envelope struct {
	Payload     []byte          `json:"payload"`
	PayloadType string          `json:"payloadType"`
	Signatures  []dsseSignature `json:"signatures"`
}

type dsseSignature struct {
	Sig []byte `json:"sig"`
}

// A statement is an in-toto statement without its predicate.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     struct{}  `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name,omitempty"`
	Digest map[string]string `json:"digest"`
}

// Sign returns a bundle with a signature of d.
func Sign(key *ecdsa.PrivateKey, d digest.Digest) ([]byte, error) {
	payload, err := json.Marshal(statement{
		Type: statementType, PredicateType: PredicateType,
		Subject: []subject{{Digest: map[string]string{string(d.Algorithm()): d.Encoded()}}},
	})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(signedText(payload))
	sig, err := key.Sign(nil, sum[:], crypto.SHA256) // deterministic without a random source
	if err != nil {
		return nil, err
	}
	b := bundle{MediaType: BundleType, Envelope: envelope{payload, payloadType, []dsseSignature{{sig}}}}
	b.Material.PublicKey.Hint, err = keyHint(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	return json.Marshal(b)
}

// signedText returns the bytes that a DSSE signature covers.
func signedText(payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// keyHint returns the digest of a key.
func keyHint(key *ecdsa.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	sum := sha256.Sum256(der)
	return base64.StdEncoding.EncodeToString(sum[:]), err
}

// Verify verifies that the bundle text signs d with key. Its error matches ErrSignature.
func Verify(key *ecdsa.PublicKey, text []byte, d digest.Digest) error {
	var b bundle
	if err := json.Unmarshal(text, &b); err != nil {
		return fmt.Errorf("%w: the bundle cannot be read: %v", ErrSignature, err)
	}
	e := &b.Envelope
	if b.MediaType != BundleType || e.PayloadType != payloadType || len(e.Signatures) != 1 {
		return fmt.Errorf("%w: a bundle of another form (%.80q, %.80q, %d signatures)", ErrSignature, b.MediaType,
			e.PayloadType, len(e.Signatures))
	}
	sum := sha256.Sum256(signedText(e.Payload))
	if !ecdsa.VerifyASN1(key, sum[:], e.Signatures[0].Sig) {
		return fmt.Errorf("%w: it is not of this key, or what was signed has changed", ErrSignature)
	}
	return checkStatement(e.Payload, d)
}

// checkStatement returns an error if a statement does not assert a signature of d.
func checkStatement(payload []byte, d digest.Digest) error {
	var s statement
	if err := json.Unmarshal(payload, &s); err != nil || s.Type != statementType || s.PredicateType != PredicateType {
		return fmt.Errorf("%w: it states something else than that an archive was signed (%.80q)", ErrSignature,
			s.PredicateType)
	}
	for _, about := range s.Subject {
		if about.Digest[string(d.Algorithm())] == d.Encoded() {
			return nil
		}
	}
	return fmt.Errorf("%w: it is of something else than %s", ErrSignature, d)
}

// ReadPrivateKey reads a private key in PKCS #8 or SEC 1 from a PEM file.
func ReadPrivateKey(ctx context.Context, path string) (*ecdsa.PrivateKey, error) {
	block, err := readPEM(ctx, path)
	if err != nil {
		return nil, err
	}
	var key any
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	default:
		return nil,
			fmt.Errorf("%s: it has a %.60s: name an unencrypted private key, as of openssl ecparam -name prime256v1 -genkey "+
				"-noout", path, block.Type)
	}
	ec, ok := key.(*ecdsa.PrivateKey)
	if err := checkKey(path, err, ok && ec.Curve == elliptic.P256()); err != nil {
		return nil, err
	}
	return ec, nil
}

var errCurve = errors.New("it is no ECDSA key of the curve P-256: make one with openssl ecparam -name prime256v1 " +
	"-genkey -noout")

// checkKey returns err or, if the key does not use P-256, errCurve, with the name of the file.
func checkKey(path string, err error, isP256 bool) error {
	if err == nil && !isP256 {
		err = errCurve
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ReadPublicKey reads a public key from a PEM file.
func ReadPublicKey(ctx context.Context, path string) (*ecdsa.PublicKey, error) {
	block, err := readPEM(ctx, path)
	if err != nil {
		return nil, err
	}
	if block.Type != "PUBLIC KEY" {
		return nil, fmt.Errorf("%s: it has a %.60s: name the public key, as of openssl ec -in key.pem -pubout", path,
			block.Type)
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	ec, ok := key.(*ecdsa.PublicKey)
	if err := checkKey(path, err, ok && ec.Curve == elliptic.P256()); err != nil {
		return nil, err
	}
	return ec, nil
}

// readPEM returns the first block of a PEM file except EC PARAMETERS.
func readPEM(ctx context.Context, path string) (*pem.Block, error) {
	text, err := cli.ReadSmallFile(ctx, path, cli.SmallFile)
	if err != nil {
		return nil, err
	}
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return nil, fmt.Errorf("%s: it is no PEM file of a key", path)
		}
		if block.Type != "EC PARAMETERS" {
			return block, nil
		}
		text = bytes.TrimSpace(rest)
	}
}
