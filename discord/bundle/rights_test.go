package bundle

import "testing"

func TestPermissionOverwrites(t *testing.T) {
	t.Parallel()
	const everyone, bot, helpers, bosses = "1", "2", "3", "4"
	server := func(mine ...string) *guild {
		return &guild{owner: "9", mine: mine, roles: []role{
			{ID: everyone, Permissions: viewChannel}, {ID: helpers, Permissions: sendMessages}, {ID: bosses, Permissions: administrator},
		}}
	}
	for name, tc := range map[string]struct {
		g          *guild
		overwrites []overwrite
		want       bits
	}{
		"what everybody may":           {server(), nil, viewChannel},
		"what a role of its own adds":  {server(helpers), nil, viewChannel | sendMessages},
		"an administrator":             {server(bosses), []overwrite{{ID: bot, Type: 1, Deny: viewChannel}}, ^bits(0)},
		"the owner":                    {&guild{owner: bot}, nil, ^bits(0)},
		"a channel closed to everyone": {server(helpers), []overwrite{{ID: everyone, Deny: viewChannel}}, sendMessages},
		"and opened to a role":         {server(helpers), []overwrite{{ID: helpers, Allow: viewChannel}, {ID: everyone, Deny: viewChannel}}, viewChannel | sendMessages},
		"another's role":               {server(), []overwrite{{ID: helpers, Allow: sendMessages}}, viewChannel},
		"of two roles the kinder wins": {server(helpers, "5"), []overwrite{{ID: "5", Deny: sendMessages}, {ID: helpers, Allow: sendMessages}}, viewChannel | sendMessages},
		"the bot's own comes last":     {server(helpers), []overwrite{{ID: bot, Type: 1, Deny: sendMessages}, {ID: helpers, Allow: sendMessages}}, viewChannel},
		"a role with the bot's id":     {server(), []overwrite{{ID: bot, Type: 0, Allow: sendMessages}}, viewChannel},
	} {
		if got := tc.g.allowed(everyone, bot, tc.overwrites); got != tc.want {
			t.Errorf("%s: %b, want %b", name, got, tc.want)
		}
	}
}
