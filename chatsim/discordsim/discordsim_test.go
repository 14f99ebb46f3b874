package discordsim_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type (
	obj  = map[string]any
	list = []any
)

// The IDs of a guild made without options.
const (
	deploys = "200000000000000001"
	general = "200000000000000002"
	dana    = "300000000000000001"
	sam     = "300000000000000002"
	kim     = "300000000000000003"
	botUser = "500000000000000001"
	appID   = "600000000000000001"
)

// answer is a response of the API.
type answer struct {
	status int
	header http.Header
	body   obj
	list   list
}

func (a answer) code() int {
	n, _ := a.body["code"].(float64)
	return int(n)
}

func (a answer) id() string {
	id, _ := a.body["id"].(string)
	return id
}

// ask makes one request to the API as a bot.
func ask(t *testing.T, sim *discordsim.Server, verb, path string, body any) answer {
	t.Helper()
	return askAs(t, sim, "Bot discord-sim-token", verb, path, body)
}

func askAs(t *testing.T, sim *discordsim.Server, who, verb, path string, body any) answer {
	t.Helper()
	out, err := request(t, sim, who, verb, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func request(t *testing.T, sim *discordsim.Server, who, verb, path string, body any) (answer, error) {
	t.Helper()
	var raw []byte
	if body != nil {
		raw, _ = json.Marshal(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), verb, sim.APIURL()+"/v10"+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	req.Header.Set("Content-Type", "application/json")
	if who != "" {
		req.Header.Set("Authorization", who)
	}
	resp, err := sim.Client().Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	fitsSchema(t, verb, path, resp.StatusCode, text)
	out := answer{status: resp.StatusCode, header: resp.Header}
	if len(text) > 0 && text[0] == '[' {
		err = json.Unmarshal(text, &out.list)
	} else if len(text) > 0 {
		err = json.Unmarshal(text, &out.body)
	}
	if err != nil {
		t.Fatalf("%s %s answered with %q", verb, path, text)
	}
	return out, nil
}

// app is a program under test: it checks signatures, answers a PING, and answers every interaction with the result
// of a function; nil means 202.
func app(t *testing.T, sim *discordsim.Server, answers func(interaction obj) any) http.Handler {
	t.Helper()
	key, err := hex.DecodeString(sim.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		sig, _ := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		signed := append([]byte(r.Header.Get("X-Signature-Timestamp")), raw...)
		if !ed25519.Verify(key, signed, sig) {
			http.Error(w, "bad signature", http.StatusUnauthorized)
			return
		}
		var interaction obj
		if err := json.Unmarshal(raw, &interaction); err != nil {
			t.Errorf("the interaction is %q", raw)
		}
		var out any = obj{"type": 1}
		if interaction["type"] != float64(1) {
			if m := interaction["message"]; m != nil {
				fits(t, "an interaction's message", m, "MessageResponse")
			}
			out = answers(interaction)
		}
		if out == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
	})
}

// deliver sends interactions to an app that answers with a function.
func deliver(t *testing.T, sim *discordsim.Server, answers func(interaction obj) any) {
	t.Helper()
	sim.DeliverToHandler("/discord/interactions", app(t, sim, answers))
}

const v2 = 1 << 15

var noMentions = obj{"parse": list{}}

func words(s string) obj        { return obj{"type": 10, "content": s} }
func row(parts ...any) obj      { return obj{"type": 1, "components": append(list{}, parts...)} }
func box(parts ...any) obj      { return obj{"type": 17, "components": append(list{}, parts...)} }
func button(id, s string) obj   { return obj{"type": 2, "style": 2, "custom_id": id, "label": s} }
func label(s string, c any) obj { return obj{"type": 18, "label": s, "component": c} }

func with(o obj, more ...any) obj {
	out := maps.Clone(o)
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

func choice(id string, values ...string) obj {
	options := list{}
	for _, v := range values {
		options = append(options, obj{"label": v, "value": v})
	}
	return obj{"type": 3, "custom_id": id, "options": options, "placeholder": "Choose"}
}

func input(id string) obj { return obj{"type": 4, "custom_id": id, "style": 2} }

// message is a message with components, as a careful app posts it.
func message(parts ...any) obj {
	return obj{"flags": v2, "components": append(list{}, parts...), "allowed_mentions": noMentions}
}

// once adds what keeps a message from being posted twice.
func once(o obj, nonce int) obj {
	return with(o, "nonce", strconv.Itoa(nonce), "enforce_nonce", true)
}

// question is a message with one question.
func question(id, text string) obj {
	return message(box(words("**Which database?**"), row(button(id, text))))
}

// put posts a message in #deploys.
func put(t *testing.T, sim *discordsim.Server, o obj) (id string) {
	t.Helper()
	a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", o)
	if a.status != http.StatusOK {
		t.Fatalf("the post was answered with %d %v", a.status, a.body)
	}
	return a.id()
}

func TestPressAndUpdate(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	ctx := t.Context()
	deliver(t, sim, func(i obj) any {
		name := i["member"].(obj)["user"].(obj)["global_name"].(string)
		return obj{"type": 7, "data": message(words("Postgres, decided by " + name))}
	})
	put(t, sim, question("a1", "Postgres"))
	seat := sim.Seat(dana)
	if err := seat.AwaitText(ctx, "Which database?", "[Postgres]"); err != nil {
		t.Fatal(err)
	}
	if err := seat.Press(ctx, "Postgres"); err != nil {
		t.Fatal(err)
	}
	if got, want := sim.Seat(sam).Sees(), "askbridge (edited)\nPostgres, decided by Dana"; got != want {
		t.Errorf("Sam sees\n%s\nwant\n%s", got, want)
	}
}
