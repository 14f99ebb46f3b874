package discordsim_test

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// responses maps calls to the names of Discord's own schemas: one of them must match the response, or each entry of
// a list.
var responses = []struct {
	call    *regexp.Regexp
	schemas []string
}{
	{regexp.MustCompile(`^(GET|POST|PATCH) /channels/\d+/messages(/\d+)?(\?.*)?$`), []string{"MessageResponse"}},
	{regexp.MustCompile(`^(GET|PATCH) /channels/\d+$`), []string{"GuildChannelResponse", "ThreadResponse", "PrivateChannelResponse"}},
	{regexp.MustCompile(`^POST /channels/\d+/(messages/\d+/)?threads$`), []string{"ThreadResponse"}},
	{regexp.MustCompile(`^POST /users/@me/channels$`), []string{"PrivateChannelResponse"}},
	{regexp.MustCompile(`^GET /guilds/\d+/channels$`), []string{"GuildChannelResponse"}},
	{regexp.MustCompile(`^GET /guilds/\d+/roles$`), []string{"GuildRoleResponse"}},
	{regexp.MustCompile(`^(GET|POST|PUT|PATCH) /applications/\d+/(guilds/\d+/)?commands(/\d+)?$`), []string{"ApplicationCommandResponse"}},
	{regexp.MustCompile(`^(GET|POST|PATCH) /webhooks/\d+/[^/]+(/messages/[^/]+)?(\?.*)?$`), []string{"MessageResponse"}},
}

// published are Discord's own schemas; see ../../render/components/testdata/README.md.
var published = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	raw, err := os.ReadFile("../../render/components/testdata/discord-openapi.json")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("discord.json", doc); err != nil {
		return nil, err
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, a := range responses {
		for _, name := range a.schemas {
			if schemas[name], err = c.Compile("discord.json#/components/schemas/" + name); err != nil {
				return nil, err
			}
		}
	}
	return schemas, nil
})

// fitsSchema validates a response against Discord's own schemas.
func fitsSchema(t *testing.T, verb, path string, status int, raw []byte) {
	t.Helper()
	for _, a := range responses {
		if status >= http.StatusMultipleChoices || len(raw) == 0 || !a.call.MatchString(verb+" "+path) {
			continue
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Errorf("%s %s: %v", verb, path, err)
			return
		}
		all, several := value.([]any)
		if !several {
			all = []any{value}
		}
		for _, v := range all {
			fits(t, verb+" "+path, v, a.schemas...)
		}
	}
}

// fits checks a value against schemas, one of which must match.
func fits(t *testing.T, what string, v any, names ...string) {
	t.Helper()
	schemas, err := published()
	if err != nil {
		t.Fatal(err)
	}
	var first error
	for _, name := range names {
		err := schemas[name].Validate(v)
		if err == nil {
			return
		}
		if first == nil {
			first = err
		}
	}
	t.Errorf("%s is answered with %v, which is no %q: %v", what, v, names, first)
}

// Bots read from it which card was pressed.
func TestInteractionMetadata(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	var tokens []string
	deliver(t, sim, func(i obj) any {
		tokens = append(tokens, i["token"].(string))
		if i["type"] == 3.0 {
			return obj{"type": 9, "data": obj{"custom_id": "form", "title": "Other", "components": list{label("Why?", input("why"))}}}
		}
		return obj{"type": 4, "data": with(message(words("Saved")), "flags", v2|64)}
	})
	card := put(t, sim, once(message(row(button("a1", "Yes"))), 1))
	seat, ctx := sim.Seat(dana).On(card), t.Context()
	for _, err := range []error{seat.Press(ctx, "Yes"), seat.Fill(ctx, "Why?", "Because"), seat.Submit(ctx)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	hook := "/webhooks/" + appID + "/" + tokens[1]
	first := ask(t, sim, "GET", hook+"/messages/@original", nil)
	later := ask(t, sim, "POST", hook, with(message(words("And more")), "flags", v2|64))
	for name, a := range map[string]answer{"the answer": first, "a follow-up": later} {
		metadata := a.body["interaction_metadata"].(obj)
		if opener, _ := metadata["triggering_interaction_metadata"].(obj); opener["interacted_message_id"] != card {
			t.Errorf("%s names %v, want the press on %s", name, metadata, card)
		}
	}
	if id := later.body["interaction_metadata"].(obj)["original_response_message_id"]; id != first.id() {
		t.Errorf("the follow-up follows %v, want %s", id, first.id())
	}
}
