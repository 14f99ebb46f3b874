package discordsim_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// A whole app against the double: it asks, Dana presses, and it shows who decided. In a test, discordsim.Start(t,
// nil) closes the guild at the end and fails the test for every rule of Discord that the app broke.
func Example() {
	sim := discordsim.New(nil)
	defer sim.Close()
	ctx := context.Background()

	// The app's side of a press: it checks the signature, answers a PING, and updates the message.
	key, _ := hex.DecodeString(sim.PublicKey())
	sim.DeliverToHandler("/discord/interactions", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		signature, _ := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if !ed25519.Verify(key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
			http.Error(w, "bad signature", http.StatusUnauthorized)
			return
		}
		var press struct {
			Type int
			Data struct {
				CustomID string `json:"custom_id"`
			}
			Member struct{ User struct{ Username string } }
		}
		if err := json.Unmarshal(body, &press); err != nil {
			fmt.Println(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if press.Type == 1 {
			fmt.Fprint(w, `{"type":1}`)
			return
		}
		fmt.Fprintf(w, `{"type":7,"data":{"content":"**%s**, decided by %s","components":[],"allowed_mentions":{"parse":[]}}}`,
			press.Data.CustomID, press.Member.User.Username)
	}))

	question := `{"content":"Which database?","nonce":"1","enforce_nonce":true,"allowed_mentions":{"parse":[]},
		"components":[{"type":1,"components":[{"type":2,"style":2,"custom_id":"Postgres","label":"Postgres"}]}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		sim.APIURL()+"/v10/channels/200000000000000001/messages", bytes.NewBufferString(question))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Authorization", "Bot discord-sim-token")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	resp, err := sim.Client().Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()

	dana := sim.Seat("300000000000000001")
	fmt.Println(dana.Sees())
	if err := dana.Press(ctx, "Postgres"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(sim.Seat("300000000000000002").Sees())
	// Output:
	// askbridge
	// Which database?
	// [Postgres]
	// askbridge (edited)
	// Postgres, decided by dana
}
