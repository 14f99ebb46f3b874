package memory

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

func TestFilesExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New().KeyValue()
		files := keyvalue.Files{Store: s}
		texts := map[string]string{"d1": "a", "d2": strings.Repeat("b", keyvalue.MaxValue), "d3": strings.Repeat("c", 2*keyvalue.MaxValue+1)}
		for digest, text := range texts {
			if err := files.Keep(t.Context(), "ops", "a1", digest, text, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		for digest, text := range texts {
			if got, err := files.Read(t.Context(), "ops", "a1", digest, len(text)); err != nil || got != text {
				t.Errorf("%s: read %d bytes, %v, want %d", digest, len(got), err, len(text))
			}
		}
		for _, of := range [][3]string{{"", "a1", "d1"}, {"ops", "a", "d1"}, {"ops", "a1", "d4"}} {
			if got, err := files.Read(t.Context(), of[0], of[1], of[2], 1); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("%v: read %q, %v", of, got, err)
			}
		}
		time.Sleep(time.Hour)
		if got, err := files.Read(t.Context(), "ops", "a1", "d1", 1); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("after it expired: %q, %v", got, err)
		}
	})
}

func TestForgetFilesOfOneRequest(t *testing.T) {
	t.Parallel()
	s := New().KeyValue()
	files := keyvalue.Files{Store: s}
	for _, request := range []string{"a1", "a11"} {
		for _, digest := range []string{"d1", "d2"} {
			if err := files.Keep(t.Context(), "ops", request, digest, strings.Repeat("b", keyvalue.MaxValue+1), time.Hour); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		digest, first string
		left          int
	}{{"d", "a1/d1/", 8}, {"d1", "a1/d2/", 6}, {"", "a11/d1/", 4}} {
		if err := files.Forget(t.Context(), "ops", "a1", tt.digest); err != nil {
			t.Fatal(err)
		}
		left, err := s.List(t.Context(), keyvalue.Range{Limit: 10})
		if err != nil || len(left) != tt.left || !strings.HasPrefix(left[0].Key.ID, tt.first) {
			t.Errorf("without %q left are %v, %v", tt.digest, left, err)
		}
	}
}
