package discordsim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// Coverage lists which parts of Discord this double implements.
func Coverage() chatsim.Coverage {
	out := chatsim.Coverage{Platform: "Discord"}
	for _, r := range routes() {
		note := r.verb + " " + r.path
		if r.note != "" {
			note += ": " + r.note
		}
		out.Methods = append(out.Methods, chatsim.Covered{Name: r.name, State: r.state, Note: note, Doc: r.doc})
	}
	out.Methods = append(out.Methods,
		chatsim.Covered{Name: "any other route", State: "not yet", Note: "404 or 405, and a violation"},
		chatsim.Covered{Name: Presses, State: "done", Doc: docInteract + "interaction-object-message-component-data-structure"},
		chatsim.Covered{Name: Submissions, State: "done", Doc: docInteract + "interaction-object-modal-submit-data-structure"},
		chatsim.Covered{Name: Commands, State: "partly", Note: "chat commands with texts as options", Doc: docInteract + "interaction-object-application-command-data-structure"},
		chatsim.Covered{Name: "commands of menus, autocomplete, activities", State: "not yet"},
		chatsim.Covered{Name: "signed HTTP", State: "done", Note: "PING and forged signatures", Doc: docOverview + "preparing-for-interactions"},
		chatsim.Covered{Name: "gateway", State: "partly", Note: "JSON without compression; READY, RESUMED, INTERACTION_CREATE and the events below", Doc: docGateway + "connections"},
	)
	for _, e := range events() {
		out.Methods = append(out.Methods, chatsim.Covered{Name: e.name, State: "partly", Note: e.note, Doc: docEvents + anchor(e.name)})
	}
	out.Methods = append(out.Methods, chatsim.Covered{Name: "other gateway events, voice, OAuth", State: "not yet"},
		chatsim.Covered{Name: "user installs", State: "partly", Note: "no guild member, five follow-ups; ephemeral only if requested", Doc: docInteract + "interaction-object-authorizing-integration-owners-object"})
	for _, kind := range slices.Sorted(maps.Keys(kindNames)) {
		name := kindNames[kind]
		c := chatsim.Covered{Name: fmt.Sprintf("component %d, %s", kind, name), State: "done", Doc: docComponents + name}
		if kind == kindThumbnail || kind == kindGallery {
			c.State, c.Note = "partly", "image bytes are not checked"
		}
		out.Methods = append(out.Methods, c)
	}
	for _, r := range allRules() {
		note := r.text
		if r.max > 0 {
			note = fmt.Sprintf("at most %d %s", r.max, r.text)
		}
		out.Rules = append(out.Rules, chatsim.Covered{Name: r.name, Note: note, Doc: r.doc})
	}
	return out
}

// anchor returns the documentation anchor of an event.
func anchor(event string) string { return strings.ReplaceAll(strings.ToLower(event), "_", "-") }
