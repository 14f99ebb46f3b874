package api

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/askbridge/askbridge/client"
)

func TestAdminOperatesInSession(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		admin, other := "Cookie: "+w.signIn("platform"), "Cookie: "+w.signIn("staff", "release")
		do := func(path, body string, status int) reply {
			t.Helper()
			w.call("", http.MethodPost, path, body, other, ownPage).want(t, http.StatusForbidden)
			return w.call("", http.MethodPost, path, body, admin, ownPage).want(t, status)
		}
		do("/v1/reload", "", http.StatusOK)
		do("/v1/erase", `{"person":"slack:U0000001"}`, http.StatusOK)
		var made client.MadeToken
		if err := json.Unmarshal([]byte(do("/v1/tokens", `{"name":"shop"}`, http.StatusCreated).body), &made); err != nil {
			t.Fatal(err)
		}
		if made.By != ada24 {
			t.Errorf("the token was made by %q", made.By)
		}
		w.call(made.Secret, http.MethodGet, "/v1/requests", "").want(t, http.StatusOK)
		do("/v1/tokens/"+made.ID+"/rotate", "", http.StatusCreated)
		for _, note := range []string{"reload | " + ada24 + " | ", "erase | " + ada24 + " | slack:U0000001", "token_create | " + ada24 + " | shop", "token_rotate | " + ada24 + " | " + made.ID} {
			if !w.trail.has(note) {
				t.Errorf("the trail lacks %q: %q", note, w.trail.notes)
			}
		}
	})
}
