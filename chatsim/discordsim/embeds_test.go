package discordsim_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// The double accepted any embed, while Discord refuses some.
func TestEmbeds(t *testing.T) {
	t.Parallel()
	titled := func(more ...any) obj { return with(obj{"title": "Release 4.2"}, more...) }
	fields := func(n int, name, value any) obj {
		return titled("fields", many(n, func(int) any { return obj{"name": name, "value": value, "inline": true} }))
	}
	described := func(each ...int) list {
		out := list{}
		for _, n := range each {
			out = append(out, obj{"description": long(n)})
		}
		return out
	}
	for name, tc := range map[string]struct {
		embeds any
		rule   string
		at     string // the field at fault, "" for success
	}{
		"all that one can have": {list{titled(
			"description", "Out now", "url", "https://example.org", "color", 0x2ecc71, "timestamp", "2026-11-25T12:00:00Z",
			"footer", obj{"text": "askbridge"}, "author", obj{"name": "Dana"}, "image", obj{"url": "https://example.org/x.png"},
			"fields", list{obj{"name": "Stage", "value": "prod"}},
		)}, "", ""},
		"none":                                 {nil, "", ""},
		"a picture alone":                      {list{obj{"image": obj{"url": "https://example.org/x.png"}}}, "", ""},
		"a footer alone":                       {list{obj{"footer": obj{"text": "x"}}}, "", ""},
		"eleven":                               {many(11, func(int) any { return titled() }), "embeds", "embeds"},
		"no list":                              {titled(), "field.kind", "embeds"},
		"a word":                               {list{"Release 4.2"}, "field.kind", "embeds.0"},
		"nothing in it":                        {list{obj{}}, "embed.empty", "embeds.0.description"},
		"a colour alone":                       {list{titled(), obj{"color": 1}}, "embed.empty", "embeds.1.description"},
		"a blank description":                  {list{obj{"description": " \n"}}, "embed.empty", "embeds.0.description"},
		"a title that is a number":             {list{obj{"title": 4}}, "field.kind embed.empty", "embeds.0.title"},
		"a title of 256 characters":            {list{obj{"title": " " + long(256) + "\n"}}, "", ""},
		"a title of 257 characters":            {list{obj{"title": long(257)}}, "embed.title", "embeds.0.title"},
		"a description of 4096 characters":     {described(4096), "", ""},
		"a description of 4097 characters":     {described(4097), "embed.description", "embeds.0.description"},
		"a footer of 2049 characters":          {list{obj{"footer": obj{"text": long(2049)}}}, "embed.footer", "embeds.0.footer.text"},
		"an author of 257 characters":          {list{obj{"author": obj{"name": long(257)}}}, "embed.author", "embeds.0.author.name"},
		"an author that is a word":             {list{titled("author", "Dana")}, "field.kind", "embeds.0.author"},
		"25 fields":                            {list{fields(25, "Stage", "prod")}, "", ""},
		"26 fields":                            {list{fields(26, "Stage", "prod")}, "embed.fields", "embeds.0.fields"},
		"a field without a value":              {list{fields(1, "Stage", nil)}, "field.required", "embeds.0.fields.0.value"},
		"a field with an empty name":           {list{fields(1, " ", "prod")}, "field.required", "embeds.0.fields.0.name"},
		"a field's name of 257 characters":     {list{fields(1, long(257), "prod")}, "embed.field.name", "embeds.0.fields.0.name"},
		"a field's value of 1025 characters":   {list{fields(1, "Stage", long(1025))}, "embed.field.value", "embeds.0.fields.0.value"},
		"a picture of a file that comes along": {list{titled("image", obj{"url": "attachment://plan.png"})}, "", ""},
		"an address without a scheme":          {list{titled("url", "example.org")}, "embed.url", "embeds.0.url"},
		"an address that is empty":             {list{titled("author", obj{"name": "Dana", "url": ""})}, "embed.url", "embeds.0.author.url"},
		"an address of nothing":                {list{titled("footer", obj{"text": "x", "icon_url": "https://"})}, "embed.url", "embeds.0.footer.icon_url"},
		"a link to a file":                     {list{titled("url", "attachment://plan.png")}, "embed.url", "embeds.0.url"},
		"a picture that is an address":         {list{titled("thumbnail", "https://example.org/x.png")}, "field.kind", "embeds.0.thumbnail"},
		"a colour in words":                    {list{titled("color", "#2ecc71")}, "field.kind", "embeds.0.color"},
		"6000 characters in two of them":       {described(4000, 2000), "", ""},
		"6001 characters in two of them":       {described(4000, 2001), "embeds.text", "embeds"},
		"6001 characters, most of them fields": {list{with(fields(5, "Stages", long(1000)), "footer", obj{"text": long(960)})}, "embeds.text", "embeds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Expect(strings.Fields(tc.rule)...)
			first := obj{"content": "x", "embeds": tc.embeds, "allowed_mentions": noMentions}
			wantErrors(t, ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(first, 1)), tc.at)
		})
	}
}
