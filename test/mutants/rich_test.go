package mutants

// rich breaks what people see of what an agent writes.
func rich() []mutant {
	const prose = "render/prose.go"
	const found = "TestAddressesCodeAndListsAreFoundInAnAgentsText/"
	const revised = "TestARevisedContextGoesBelowTheCardAsAnother"
	const newest = "TestOnlyTheFileOfTheNewestRevisionLetsPeopleAnswer"
	const stand = "TestFilesStandBelowTheirCardBeforeAnybodyCanAnswer"
	return []mutant{
		{
			name:    "what has files can be answered where they cannot be uploaded",
			edits:   []edit{{"render/layout.go", "	case s.Filing != FilesStand:\n", "	case false:\n"}},
			killers: []killer{{"askbridgetest", "TestOneOfTwoPlacesTakesFilesAndCanAnswer", "on Slack she sees"}},
		},
		{
			name:    "a request whose files nobody can read stays open",
			edits:   []edit{{"bridge/record/behind.go", " && c.Filing != Unfilable:", ":"}},
			killers: []killer{{"askbridgetest", "TestWhatCannotBeUploadedCannotBeAnswered", "without files:write"}},
		},
		{
			name:    "files whose reply was lost are uploaded again",
			edits:   []edit{{"bridge/attach.go", "	case err == nil, pe.Kind == Ambiguous && stands():\n", "	case err == nil:\n"}, {"bridge/attach.go", "doubted && stands()", "false && stands()"}},
			killers: []killer{{"askbridgetest", "TestFilesAreUploadedOnceThoughTheReplyIsLost", "has 4 files"}},
		},
		{
			name:    "a closed card says nothing of its files",
			edits:   []edit{{"render/ended.go", "	c.Sections = append(c.Sections, s.files()...)\n", ""}},
			killers: []killer{{"askbridgetest", stand, "on the closed card she sees"}},
		},
		{
			name:    "an older build lets people answer before they see the files",
			edits:   []edit{{"store/internal/codec/codec.go", "len(r.Files) > 0:", "false:"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesARequestWithFiles", "format"}},
		},
		{
			name:    "the digest of a long input is not that of the bytes that run",
			edits:   []edit{{"dialect/permission.go", "Text: string(input)}", "Text: strictjson.Show(input)}"}},
			killers: []killer{{"dialect", "TestALongInputStandsBelowItsCardAsItRuns/a_change", "below it stand"}},
		},
		{
			name:    "a long change goes below its card as a diff alone",
			edits:   []edit{{"dialect/permission.go", "	if runs.Text != shown {\n", "	if false {\n"}},
			killers: []killer{{"dialect", "TestALongInputStandsBelowItsCardAsItRuns/a_change", "below it stand"}},
		},
		{
			name:    "what somebody allowed is the result of another input that begins alike",
			edits:   []edit{{"api/toolresult.go", "read.Operation.Key() == asked.Permit.Key && ", ""}},
			killers: []killer{{"api", "TestTheResultOfAPermissionIsForTheInputThatWasShown", "status 200, want 409"}},
		},
		{
			name:    "a long input is cut, and nothing goes below its card",
			edits:   []edit{{"ask/enclose.go", "		r.Files = append(", "		_ = append("}},
			killers: []killer{{"askbridgetest", "TestALongCommandCannotBeAllowedWhereNothingCanBeUploaded", "she sees"}},
		},
		{
			name:    "a card does not say how much of a file it leaves out",
			edits:   []edit{{"render/files.go", "		if f.Unshown > 0 {\n			text", "		if false {\n			text"}},
			killers: []killer{{"askbridgetest", "TestALongCommandIsAllowedWhereAllOfItCanBeRead", "she does not see \"its last"}},
		},
		{
			name:    "an older build shows the beginning of a file as if it were all",
			edits:   []edit{{"store/internal/codec/codec.go", "return f.Unshown > 0", "return false"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesAFileWhoseBeginningTheCardShows", "format"}},
		},
		{
			name:    "a long text goes to a platform that takes no files",
			edits:   []edit{{"bridge/files.go", "		return takes\n", "		return true || takes\n"}},
			killers: []killer{{"bridge", "TestWhatIsTooLongIsRefusedWhereNoFilesAreTaken", "it was asked"}},
		},
		{
			name:    "a revision brings no file",
			edits:   []edit{{"bridge/files.go", "v.Files = fs.store != nil;", "v.Files = false;"}},
			killers: []killer{{"askbridgetest", revised, "the API tells"}},
		},
		{
			name:    "a revision can be approved before its file stands below the card",
			edits:   []edit{{"bridge/record/files.go", "c := &r.Copies[n]; all || c", "c := &r.Copies[n]; all && false || c"}},
			killers: []killer{{"bridge/record", newest, "a press after revision 4 is completed, want unshown"}},
		},
		{
			name:    "a file of what was asked before opens the card of what is asked now",
			edits:   []edit{{"bridge/record/files.go", "c.Filing == BeingFiled && slices.Equal(filed, r.Files)", "c.Filing == BeingFiled"}},
			killers: []killer{{"bridge/record", newest, "a press after revision 2 is completed, want unshown"}},
		},
		{
			name:    "any file below a card is taken for the one that has to stand there",
			edits:   []edit{{"bridge/platform.go", "	return !slices.ContainsFunc(up.Files, ", "	return true || !slices.ContainsFunc(up.Files, "}},
			killers: []killer{{"askbridgetest", "TestTheFileOfARevisionIsNotTakenForTheOneBefore", "uploaded are 1 files"}},
		},
		{
			name:    "the file of a revision is the message before, for Discord",
			edits:   []edit{{"discord/attach.go", "ref.Message, up.Text)", `ref.Message, "files")`}},
			killers: []killer{{"askbridgetest", revised + "/discord_after_a_long_one", "uploaded are 1 files"}},
		},
		{
			name:    "an older build takes the file of what was asked before for the newest",
			edits:   []edit{{"store/internal/codec/codec.go", "case r.Revised > 0 && slices", "case false && slices"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesARevisedContextInAFile", "format"}},
		},
		{
			name:    "a diff hides a character",
			edits:   []edit{{"dialect/change.go", " || !legible(diff)", ""}},
			killers: []killer{{"dialect", "TestAChangeIsShownAsADiffOfWhatTheInputSays/a_character_that_nobody_sees", "it is shown as"}},
		},
		{
			name:    "a diff leaves out lines of what is changed",
			edits:   []edit{{"dialect/change.go", `strings.Count(old, "\n")+1)`, "1)"}},
			killers: []killer{{"dialect", "TestAChangeIsShownAsADiffOfWhatTheInputSays/every_line_of_both", "it is shown as"}},
		},
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
			edits:   []edit{{prose, " || !endsAddress(a.text[a.end:])", ""}},
			killers: []killer{{"render", found + "an_address_that_goes_on", "is read as"}},
		},
		{
			name:    "the lines of a diff are a list",
			edits:   []edit{{prose, "end-at < 2 || end < len(lines) && diffForm.MatchString(lines[end])", "end-at < 2"}},
			killers: []killer{{"render", found + "lines_that_a_diff_takes_away", "is read as"}},
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
		{
			name:    "the press of a link is taken for a control",
			edits:   []edit{{"bridge/view.go", "	case render.Follow:\n		return resp.Ack(ctx) // Their client has opened the address.\n", ""}},
			killers: []killer{{"askbridgetest", "TestALinkThatIsPressedDecidesNothing", "after the press Dana sees"}},
		},
		{
			name:    "another link asks the same",
			edits:   []edit{{"bridge/id.go", "len(r.Links) > 0", "false"}},
			killers: []killer{{"askbridgetest", "TestALinkThatIsPressedDecidesNothing", "another address under the same key"}},
		},
		{
			name:    "an older build takes links off a card",
			edits:   []edit{{"store/internal/codec/codec.go", "	case len(r.Links) > 0:\n", "	case false:\n"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesARequestWithLinks", "format"}},
		},
		{
			name:    "a link leads to another host than it seems",
			edits:   []edit{{"ask/links.go", "	case u.User != nil:\n", "	case false:\n"}},
			killers: []killer{{"ask", "TestALinkLeadsWhereItSays/a_user_before_the_host", "must not have a user"}},
		},
		{
			name:    "a link may be labelled with another address",
			edits:   []edit{{"ask/links.go", "case strings.Contains(label, \"://\"):", "case false:"}},
			killers: []killer{{"ask", "TestALinkLeadsWhereItSays/a_label_that_deceives", "must not be an address"}},
		},
	}
}
