package audit

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const deviceSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

// TestACopyOfTheTrailIsNotLostBehindARedirect has a receiver that sends every call on to a page that says yes.
func TestACopyOfTheTrailIsNotLostBehindARedirect(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			elsewhere := false
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					elsewhere = true
					return
				}
				http.Redirect(w, r, "/elsewhere", status)
			}))
			defer receiver.Close()
			err := Webhook{Address: receiver.URL + "/trail", Secret: deviceSecret}.Write(t.Context(), []byte("{}\n"))
			if err == nil || elsewhere {
				t.Errorf("the batch counts as taken: %v, and went elsewhere: %t", err, elsewhere)
			}
		})
	}
}

func TestTheAddressOfTheTrailsReceiverIsInNoError(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.NotFoundHandler())
	address := receiver.URL + "/canary"
	for _, closed := range []bool{false, true} {
		if closed {
			receiver.Close()
		}
		if err := (Webhook{Address: address, Secret: deviceSecret}).Write(t.Context(), []byte("{}\n")); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("the error is %v", err)
		}
	}
}
