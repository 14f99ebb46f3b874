package mutants

// rich breaks what people see of what an agent writes.
func rich() []mutant {
	const prose = "render/prose.go"
	const found = "TestAddressesCodeAndListsAreFoundInAnAgentsText/"
	return []mutant{
		{
			name:    "an address with a user in front of the host is live",
			edits:   []edit{{prose, "	if !hostForm.MatchString(found) {\n		return 0\n	}\n", ""}},
			killers: []killer{{"render", found + "a_user_in_front_of_the_host", "is read as"}},
		},
		{
			name:    "an address that was cut is live",
			edits:   []edit{{prose, " && !strings.HasPrefix(rest, Ellipsis)", ""}},
			killers: []killer{{"render", found + "an_address_that_was_cut", "is read as"}},
		},
		{
			name:    "an address that goes on is shortened",
			edits:   []edit{{prose, " || !endsAddress(text[at+len(found):])", ""}},
			killers: []killer{{"render", found + "an_address_that_goes_on", "is read as"}},
		},
		{
			name:    "the lines of a diff are a list",
			edits:   []edit{{prose, "end-at < 2 || end < len(lines) && diffForm.MatchString(lines[end])", "end-at < 2"}},
			killers: []killer{{"render", found + "lines_of_a_diff_around_what_is_none", "is read as"}},
		},
		{
			name:    "Discord: an address ends where Discord thinks so",
			edits:   []edit{{"render/components/markdown.go", `render.Link: {"<", ">"},`, `render.Link: {"", ""},`}},
			killers: []killer{{"render", "TestDiscordCards/markdown", "live"}},
		},
		{
			name:    "Slack: an address is a text",
			edits:   []edit{{"render/blockkit/richtext.go", "		case a.style == render.Link:\n", "		case false:\n"}},
			killers: []killer{{"render", "TestCards/markdown", "differs"}},
		},
		{
			name:    "Discord: an address that a form cuts is live",
			edits:   []edit{{"render/components/modal.go", "			s.Style, room = render.Plain, 0\n", "			room = 0\n"}},
			killers: []killer{{"render/components", "TestWhatAFormCutsIsNotLive", "live"}},
		},
	}
}
