package slacksim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/askbridge/askbridge/chatsim"
)

// Coverage lists which parts of Slack this double implements.
func Coverage() chatsim.Coverage {
	out := chatsim.Coverage{Platform: "Slack"}
	table := methods()
	for _, name := range slices.Sorted(maps.Keys(table)) {
		m := table[name]
		out.Methods = append(out.Methods, chatsim.Covered{Name: name, State: m.state, Note: m.note, Doc: docMethods + name})
	}
	out.Methods = append(out.Methods,
		chatsim.Covered{Name: "any other method", State: "not yet", Note: "unknown_method, and a violation"},
		chatsim.Covered{Name: "response_url", State: "partly", Note: "no threads of their own", Doc: docInteract + "#message_responses"},
		chatsim.Covered{Name: "block_actions", State: "done", Doc: "https://docs.slack.dev/reference/interaction-payloads/block_actions-payload"},
		chatsim.Covered{Name: "view_submission", State: "partly", Note: "response_urls is empty", Doc: "https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload"},
		chatsim.Covered{Name: "view_closed", State: "done", Doc: "https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload"},
		chatsim.Covered{Name: "signed HTTP", State: "done", Doc: "https://docs.slack.dev/authentication/verifying-requests-from-slack"},
		chatsim.Covered{Name: "Socket Mode", State: "partly", Note: "interactive, events_api and slash_commands envelopes", Doc: docSocket},
		chatsim.Covered{Name: "Events API", State: "partly", Note: "over HTTP with url_verification and retries, and over Socket Mode; the events below", Doc: "https://docs.slack.dev/apis/events-api/"},
		chatsim.Covered{Name: "message event", State: "partly", Note: "new, changed and deleted messages of people and of the bot; no other subtypes", Doc: "https://docs.slack.dev/reference/events/message"},
		chatsim.Covered{Name: "app_mention event", State: "done", Doc: "https://docs.slack.dev/reference/events/app_mention"},
		chatsim.Covered{Name: "app_home_opened event", State: "partly", Note: "of the Home tab", Doc: "https://docs.slack.dev/reference/events/app_home_opened"},
		chatsim.Covered{Name: "file_shared event", State: "done", Doc: "https://docs.slack.dev/reference/events/file_shared"},
		chatsim.Covered{Name: "upload_url, url_private", State: "done", Note: "on the host of the API", Doc: "https://docs.slack.dev/messaging/working-with-files"},
		chatsim.Covered{Name: "app_uninstalled, tokens_revoked, team_access_granted, team_access_revoked events", State: "done", Doc: "https://docs.slack.dev/reference/events"},
		chatsim.Covered{Name: "installation page", State: "partly", Note: "Allow, Cancel and errors; bot scopes, no optional ones", Doc: "https://docs.slack.dev/authentication/installing-with-oauth"},
		chatsim.Covered{Name: "Enterprise Grid", State: "partly", Note: "one direct message per workspace; no migration of workspaces", Doc: "https://docs.slack.dev/enterprise/developing-for-enterprise-orgs"},
		chatsim.Covered{Name: "any other event", State: "not yet"},
		chatsim.Covered{Name: "slash commands", State: "partly", Note: "over HTTP and Socket Mode; an unacknowledged command appears only in the timeline", Doc: "https://docs.slack.dev/interactivity/implementing-slash-commands"},
		chatsim.Covered{Name: "shortcuts", State: "not yet"},
	)
	for _, kind := range []string{"section", "header", "divider", "context", "actions", "input", "markdown"} {
		out.Methods = append(out.Methods, chatsim.Covered{Name: kind + " block", State: "done", Doc: docBlocks + kind + "-block"})
	}
	out.Methods = append(out.Methods,
		chatsim.Covered{Name: "rich_text block", State: "partly", Note: "text, link, user, usergroup, channel, broadcast, emoji, color, date", Doc: docBlocks + "rich-text-block"},
		chatsim.Covered{Name: "image, alert, card, carousel, context_actions, table, data_table, task_card, plan blocks", State: "partly", Note: "checked; text is shown, buttons in cards do not work", Doc: docBlocks},
		chatsim.Covered{Name: "any other block", State: "not yet", Note: "refused as unsupported"},
		chatsim.Covered{
			Name:  "button, radio_buttons, checkboxes, static_select, multi_static_select, overflow, plain_text_input, users_select, image",
			State: "done", Doc: docElements,
		},
		chatsim.Covered{
			Name:  "selects for several people, conversations and channels; date and time pickers; number, URL, email, file and rich text inputs",
			State: "partly", Note: "checked and shown with initial values, but not usable", Doc: docElements,
		},
		chatsim.Covered{Name: "any other element", State: "not yet", Note: "refused as unsupported"},
	)
	for _, r := range allRules() {
		note := r.text
		if r.max > 0 {
			note = fmt.Sprintf("at most %d %s", r.max, r.text)
		}
		out.Rules = append(out.Rules, chatsim.Covered{Name: r.name, Note: note, Doc: r.doc})
	}
	return out
}
