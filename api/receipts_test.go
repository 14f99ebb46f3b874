package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/askbridge/askbridge/access"
)

// lost is a connection that breaks when the body arrives.
type lost struct{ *httptest.ResponseRecorder }

func (lost) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestReceiptAfterAnswerIsDelivered(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a"}), func(t *testing.T, w *fixture) {
		made := w.call("token-a", "POST", "/v1/requests", with(oneQuestion, `"receipts":true`)).want(t, http.StatusCreated).request(t)
		w.press(made.ID, 0, 0)
		taken := func() bool {
			t.Helper()
			later(time.Second)
			r, err := w.bridge.Load(t.Context(), made.ID)
			if err != nil {
				t.Fatal(err)
			}
			return !r.Receipt.TakenAt.IsZero()
		}
		path := "/v1/requests/" + made.ID
		w.call("token-a", "HEAD", path, "").want(t, http.StatusOK)
		if taken() {
			t.Error("a look at the headers alone has taken the answer")
		}
		broken := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
		broken.Header.Set("Authorization", "Bearer token-a")
		w.handler.ServeHTTP(lost{httptest.NewRecorder()}, broken)
		if taken() {
			t.Error("an answer that was lost on its way has been taken")
		}
		w.call("token-a", "GET", path, "").want(t, http.StatusOK)
		if !taken() {
			t.Error("the card lacks the receipt")
		}
	})
}
