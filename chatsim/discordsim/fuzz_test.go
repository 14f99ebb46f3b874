package discordsim_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// Any request gets a response: the double never crashes.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{
		`{"flags":32768,"components":[{"type":17,"components":[{"type":10,"content":"x"}]}]}`,
		`{"components":[{"type":1,"components":[{"type":3,"custom_id":"a","options":[{"label":"x","value":"x"}]}]}]}`,
		`{"type":9,"data":{"custom_id":"a","title":"b","components":[{"type":18,"label":"x","component":{"type":22}}]}}`,
		`{"flags":32768,"components":[{"type":9,"components":null,"accessory":3},null,[],{"type":"1"}]}`,
		`{"content":5,"allowed_mentions":{"parse":["users"],"users":["1"]},"embeds":{},"nonce":[]}`,
		`{"content":"**a <@1> [x](https://x) ||\u0000` + "``" + `"}`,
	} {
		f.Add(body)
	}
	sim := discordsim.New(&discordsim.Options{Unlimited: true})
	f.Cleanup(func() { _ = sim.Close() })
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/channels/" + deploys + "/messages", "/webhooks/" + appID + "/x", "/interactions/1/x/callback", "/users/@me/channels"} {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v10"+path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bot discord-sim-token")
			w := httptest.NewRecorder()
			sim.ServeHTTP(w, r)
			if w.Code >= 500 && !strings.Contains(w.Body.String(), "500: Internal Server Error") {
				t.Errorf("%s answers %d %s", path, w.Code, w.Body)
			}
		}
		if sees := sim.Seat(dana).Sees(); len(sees) > 0 {
			for _, m := range sim.Snapshot(dana).Channels[0].Messages {
				sim.DeleteMessage(deploys, m.ID)
			}
		}
	})
}
