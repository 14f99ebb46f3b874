package client_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

func TestAProblemIsTheErrorThatTheLibraryWouldHaveReturned(t *testing.T) {
	t.Parallel()
	all := []error{ask.ErrNotFound, ask.ErrGone, ask.ErrConflict, ask.ErrUnavailable, ask.ErrInvalid}
	for status, want := range map[int][]error{
		http.StatusNotFound:            {ask.ErrNotFound, bridge.ErrNotFound},
		http.StatusGone:                {ask.ErrNotFound, ask.ErrGone, bridge.ErrGone},
		http.StatusConflict:            {ask.ErrConflict, bridge.ErrConflict},
		http.StatusServiceUnavailable:  {ask.ErrUnavailable, bridge.ErrUnavailable},
		http.StatusUnprocessableEntity: {ask.ErrInvalid},
		http.StatusTeapot:              nil,
	} {
		p := error(&client.Problem{Status: status})
		for _, err := range want {
			if !errors.Is(p, err) {
				t.Errorf("%d is not %q", status, err)
			}
		}
		for _, err := range all {
			expected := false
			for _, w := range want {
				expected = expected || errors.Is(err, w) && err == w //nolint:errorlint // The very sentinel.
			}
			if errors.Is(p, err) != expected {
				t.Errorf("%d is %q: %v", status, err, !expected)
			}
		}
	}
}
