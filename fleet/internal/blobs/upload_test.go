package blobs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/tests3"
)

// pieces is so long that it is uploaded in several pieces.
var pieces = bytes.Repeat([]byte("profiles "), 17<<20/9)

// TestUploadInPieces: an upload that fails in the middle leaves nothing that is listed, and
// one that comes second does not replace the first.
func TestUploadInPieces(t *testing.T) {
	s3, s := tests3.Start(t), &blobs.Stores{}
	defer s.Close()
	at := func(name string) blobs.Location {
		l, err := blobs.Parse(s3.URL(name))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	write := func(name string) error {
		return s.Write(t.Context(), at(name), bytes.NewReader(pieces), int64(len(pieces)), true)
	}
	s3.Set(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if second := strings.Contains(r.URL.RawQuery, "partNumber=2"); !second {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body) // else the connection may be reset before the answer is read
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	if err := write("failed.parc"); err == nil || !strings.Contains(err.Error(), "access is denied") {
		t.Errorf("an upload of which a piece is refused: %v", err)
	}
	if all, err := s.List(t.Context(), at(""), ""); err != nil || len(all) > 0 {
		t.Errorf("it left %v, %v", all, err)
	}
	s3.Set(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method != http.MethodPost || !strings.Contains(r.URL.RawQuery, "uploadId=") {
			return false
		}
		// As S3 answers if an object came there while the pieces were uploaded.
		if once := r.Header.Get("If-None-Match"); once != "*" {
			t.Errorf("the pieces are joined if there is none that matches %q, want *", once)
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusPreconditionFailed)
		_,
			_ = fmt.Fprint(w,
			"<Error><Code>PreconditionFailed</Code><Message>At least one of the pre-conditions you specified did not "+
				"hold</Message></Error>")
		return true
	})
	if err := write("once.parc"); !errors.Is(err, blobs.ErrExists) {
		t.Errorf("an upload to a name that was taken meanwhile: %v, want ErrExists", err)
	}
}

// TestReplaceInPieces checks the condition of a replacement that is uploaded in several pieces: the request that joins
// them has it, and a store that refuses it leaves the old object.
func TestReplaceInPieces(t *testing.T) {
	store := tests3.Start(t)
	var s blobs.Stores
	defer s.Close()
	l, err := blobs.Parse(store.URL("app.parc"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	large := filepath.Join(folder, "large")
	if err := os.WriteFile(large, pieces, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), l, strings.NewReader("old"), 3, false); err != nil {
		t.Fatal(err)
	}
	old, err := s.FetchVersion(t.Context(), l, filepath.Join(folder, "old"))
	if err != nil {
		t.Fatal(err)
	}
	var condition atomic.Value
	refuse := true
	store.Set(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method != http.MethodPost || !strings.Contains(r.URL.RawQuery, "uploadId=") {
			return false
		}
		condition.Store(r.Header.Get("If-Match"))
		if refuse {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusPreconditionFailed)
			_, _ = io.WriteString(w, "<Error><Code>PreconditionFailed</Code><Message>no</Message></Error>")
		}
		return refuse
	})
	if err := s.ReplaceFile(t.Context(), l, large, old); !errors.Is(err, blobs.ErrChanged) {
		t.Errorf("a replacement that the store refuses: %v", err)
	}
	if data, err := s.Read(t.Context(), l, 1<<30); err != nil || string(data) != "old" {
		t.Errorf("it left %d bytes: %v", len(data), err)
	}
	if got, _ := condition.Load().(string); strings.Trim(got, `"`) == "" {
		t.Errorf("the pieces are joined if the object matches %q", got)
	}
	refuse = false
	if err := s.ReplaceFile(t.Context(), l, large, old); err != nil {
		t.Fatal(err)
	}
	if data, err := s.Read(t.Context(), l, 1<<30); err != nil || !bytes.Equal(data, pieces) {
		t.Errorf("the object has %d bytes: %v", len(data), err)
	}
}
