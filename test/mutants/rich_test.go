package mutants

// rich breaks what people see of an agent's texts.
func rich() []mutant {
	const found = "TestAddressesCodeAndListsAreFoundInAnAgentsText/"
	const revised = "TestRevisedContextBecomesAnotherFile"
	const newest = "TestOutdatedFileAllowsNoAnswer"
	const stand = "TestFilesAreUploadedBeforeAnswering"
	return []mutant{
		broken("what has files can be answered where they cannot be uploaded").
			in("render", "openCard", never("FilesStand")).
			fails("askbridgetest", "TestAnswerOnlyWhereFilesAreUploaded", "on Slack she sees"),
		broken("a request with unreadable files stays open").
			in("bridge/record", "undeliverable", always("Filing")).
			fails("askbridgetest", "TestFailedUploadBlocksAnswer", "without files:write"),
		broken("files whose reply was lost are uploaded again").
			in("bridge/internal/deliver", "Posts.attach", never("doubted")).
			in("bridge/internal/deliver", "Posts.attach", omit("Ambiguous")).
			fails("askbridgetest", "TestLostReplyDoesNotUploadFilesTwice", "has 4 files"),
		broken("a closed card does not mention its files").
			in("render", "ended", drop("fileSections")).
			fails("askbridgetest", stand, "on the closed card she sees"),
		broken("an older build lets people answer before they see the files").
			in("store/internal/codec", "formatOf", never("Files", "len")).
			fails("store/internal/codec", "TestFormat/files", "want prefix"),
		broken("the digest of a long input is not that of the bytes that run").
			in("dialect/internal/operation", "running", call("string", "strictjson.Show(input)")).
			fails("dialect", "TestLongInputIsAttachedVerbatim/a_change", "attached files"),
		broken("a long change goes below its card as a diff alone").
			in("dialect/internal/operation", "Permit", never("Text")).
			fails("dialect", "TestLongInputIsAttachedVerbatim/a_change", "attached files"),
		broken("a permission is the result of another input that begins the same").
			in("api", "sameCall", always("Operation")).
			fails("api", "TestPermissionResultNeedsShownInput", "status 200, want 409"),
		broken("a long input is cut, and nothing goes below its card").
			in("ask", "Request.Enclose", drop("append")).
			fails("askbridgetest", "TestLongCommandNeedsUpload", "she sees"),
		broken("a card does not say how much of a file it leaves out").
			in("render", "fileSections", never("Unshown")).
			fails("askbridgetest", "TestLongCommandIsApprovedWithFile", "she does not see \"last"),
		broken("an older build shows the beginning of a file as if it were all").
			in("store/internal/codec", "formatOf", never("Unshown")).
			fails("store/internal/codec", "TestFormat/file_shown_in_part", "want prefix"),
		broken("a long text goes to a platform that takes no files").
			in("bridge/internal/intake", "Attachments.refusing", always("takes")).
			fails("bridge", "TestLongContextRejectedWithoutFiles", "it was asked"),
		broken("a revision brings no file").
			in("bridge/internal/intake", "Attachments.Revise", never("Store")).
			fails("askbridgetest", revised, "the API returns"),
		broken("a revision can be approved before its file is below the card").
			in("bridge/record", "refile", never("all")).
			fails("bridge/record", newest, "a press after revision 4 is completed, want unshown"),
		broken("a file of what was asked before opens the card of what is asked now").
			in("bridge/record", "uploading", always("Equal")).
			fails("bridge/record", newest, "a press after revision 2 is completed, want unshown"),
		broken("any file below a card is taken for the one that has to stand there").
			in("platform", "Upload.NamedIn", always("ContainsFunc")).
			fails("askbridgetest", "TestRevisionUploadsItsOwnFile", "uploaded are 1 files"),
		broken("the file of a revision is the message before, for Discord").
			in("discord", "Connector.Attach", arg("create", 5, `"files"`)).
			fails("askbridgetest", revised+"/discord_after_a_long_one", "uploaded are 1 files"),
		broken("an older build takes the file of what was asked before for the newest").
			in("store/internal/codec", "formatOf", dropCase("OfContext")).
			fails("store/internal/codec", "TestFormat/revised_file", "want prefix"),
		broken("a diff hides a character").
			in("dialect/internal/diff", "Unified", never("legible")).
			fails("dialect", "TestEditIsShownAsDiff/an_invisible_character", "card shows"),
		broken("a diff leaves out lines of what is changed").
			in("dialect/internal/diff", "Unified", arg("ToUnified", 4, "1")).
			fails("dialect", "TestEditIsShownAsDiff/every_line_of_both", "card shows"),
		broken("an address with a user in front of the host is live").
			in("render", "addresses.at", never("MatchString")).
			fails("render", found+"a_user_in_front_of_the_host", "is read as"),
		broken("an address that was cut is live").
			in("render", "endsAddress", always("Ellipsis")).
			fails("render", found+"an_address_that_was_cut", "is read as"),
		broken("an address that goes on is shortened").
			in("render", "addresses.at", never("endsAddress")).
			fails("render", found+"an_address_that_goes_on", "is read as"),
		broken("the lines of a diff are a list").
			in("render", "parsed.list", never("diffForm", "len")).
			fails("render", found+"lines_that_a_diff_takes_away", "is read as"),
		broken("an address in the name of a link is live").
			in("render", "parsed.named", arg("styled", 2, "true")).
			fails("render", "TestMarkdownOfContext/a_link_named_like_another", "parses as"),
		broken("Discord: an address ends where Discord thinks so").
			in("render/components", "marks", set("Link", `{"", ""}`)).
			fails("render", "TestDiscordCards/markdown", "live"),
		broken("Slack: an address is a text").
			in("render/blockkit", "runs", never("Link")).
			fails("render", "TestCards/markdown", "differs"),
		broken("Discord: an address that a form cuts is live").
			in("render/components", "shortened", swap("render.Plain", "s.Style")).
			fails("render/components", "TestTruncatedFormTextHasNoMentions", "live"),
		broken("the press of a link is taken for a control").
			in("bridge/internal/respond", "Handler.view", dropCase("Follow")).
			fails("askbridgetest", "TestPressedLinkDecidesNothing", "after the press Dana sees"),
		broken("another link asks the same").
			in("bridge/internal/intake", "fingerprint", never("Links")).
			fails("askbridgetest", "TestPressedLinkDecidesNothing", "another address under the same key"),
		broken("an older build takes links off a card").
			in("store/internal/codec", "formatOf", never("Links")).
			fails("store/internal/codec", "TestFormat/links", "want prefix"),
		broken("a link leads to another host than it seems").
			in("ask", "badAddress", never("User")).
			fails("ask", "TestLinkTextMatchesAddress/a_user_before_the_host", "must not have a user"),
		broken("a link may be labelled with another address").
			in("ask", "checker.link", never("Contains")).
			fails("ask", "TestLinkTextMatchesAddress/a_label_that_deceives", "must not be an address"),
	}
}
