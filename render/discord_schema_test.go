package render_test

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/askbridge/askbridge/render/components"
)

// discordSchemas are Discord's own; see components/testdata/README.md.
var discordSchemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	raw, err := os.ReadFile("components/testdata/discord-openapi.json")
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
	for _, name := range []string{
		"MessageCreateRequest", "MessageEditRequestPartial", "CreateMessageInteractionCallbackRequest",
		"UpdateMessageInteractionCallbackRequest", "ModalInteractionCallbackRequest",
	} {
		if schemas[name], err = c.Compile("discord.json#/components/schemas/" + name); err != nil {
			return nil, err
		}
	}
	return schemas, nil
})

type body = map[string]any

// judgeBySchema checks everything that is sent of a subject by Discord's
// published schemas, in every body that it is sent in.
func judgeBySchema(t reporter, m discordMessage) {
	t.Helper()
	noMentions := body{"parse": []string{}}
	messages := []surface{m.Components}
	for _, p := range m.Pages {
		messages = append(messages, p)
	}
	for n, c := range messages {
		data := body{"components": c, "flags": components.Flags, "allowed_mentions": noMentions}
		bySchema(t, "MessageEditRequestPartial", data)
		bySchema(t, "UpdateMessageInteractionCallbackRequest", body{"type": 7, "data": data})
		if n > 0 {
			continue // A new card shows its first page.
		}
		bySchema(t, "MessageCreateRequest", body{
			"components": c, "flags": components.Flags, "allowed_mentions": noMentions, "nonce": "p01r3v7k2m9qxw", "enforce_nonce": true,
		})
	}
	for _, notes := range m.Read {
		for _, c := range notes {
			data := body{"components": c, "flags": components.Flags | 1<<6, "allowed_mentions": noMentions}
			bySchema(t, "CreateMessageInteractionCallbackRequest", body{"type": 4, "data": data})
		}
	}
	for _, form := range m.Forms {
		bySchema(t, "ModalInteractionCallbackRequest", body{"type": 9, "data": form})
	}
}

func bySchema(t reporter, name string, v any) {
	t.Helper()
	schemas, err := discordSchemas()
	if err != nil {
		t.Errorf("schemas: %v", err)
		return
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Errorf("encode: %v", err)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = schemas[name].Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, raw)
	}
}

// failures counts what a judge complains of.
type failures int

func (*failures) Helper()                 {}
func (n *failures) Errorf(string, ...any) { *n++ }

func TestSchemasRefuseWhatDiscordRefuses(t *testing.T) {
	t.Parallel()
	display := func(content string) body { return body{"type": 10, "content": content} }
	message := func(c ...body) body { return body{"components": c, "flags": components.Flags} }
	tests := map[string]struct {
		schema string
		body   body
	}{
		"an empty text display": {"MessageCreateRequest", message(display(""))},
		"a container in a container": {
			"MessageEditRequestPartial",
			message(body{"type": 17, "components": []body{{"type": 17, "components": []body{display("a")}}}}),
		},
		"a row without buttons": {"MessageCreateRequest", message(body{"type": 1, "components": []body{}})},
		"a label in a message":  {"MessageCreateRequest", message(body{"type": 18, "label": "a", "component": display("a")})},
		"a modal without parts": {"ModalInteractionCallbackRequest", body{"type": 9, "data": body{"custom_id": "a", "title": "b", "components": []body{}}}},
		"an update with type 4": {"UpdateMessageInteractionCallbackRequest", body{"type": 4, "data": message(display("a"))}},
		"a label over its input": {"ModalInteractionCallbackRequest", body{"type": 9, "data": body{"custom_id": "a", "title": "b", "components": []body{
			{"type": 18, "label": "c", "component": body{"type": 4, "custom_id": "d", "style": 2, "label": ""}},
		}}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var refused failures
			if bySchema(&refused, tt.schema, tt.body); refused == 0 {
				t.Error("nothing found wrong")
			}
		})
	}
	bySchema(t, "MessageCreateRequest", message(body{"type": 17, "components": []body{display("a")}}))
}
