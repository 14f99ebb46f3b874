package discordsim_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// traps are the errors an app meets on Discord sooner or later, with Discord's code, its word or the double's rule
// for each: a double that accepts one of them accepts an app that fails on Discord.
var traps = map[string]string{
	"a message to a forum":                                 "40058",
	"a post without its tag, or with six":                  "40067 thread.tags",
	"an edit or a member in an archived thread":            "50083",
	"a message in a locked thread":                         "160005",
	"a second thread, or a reply without history":          "160004 160002",
	"a reply to what is gone":                              "message_reference",
	"a person who accepts no direct messages":              "50007 50278",
	"a burst of direct messages":                           "40003 20026",
	"an app of people's own in a server":                   "40094 50001",
	"a group of too few or too many options":               "radio_group.options checkbox_group.options field.required",
	"a modal part that contradicts itself":                 "modal.optional range modal.disabled",
	"a component where it is not for":                      "component.type v2.flag",
	"default values that cannot be":                        "select.default_values select.default_values.count select.default_values.type",
	"types of files that are none":                         "file_upload.file_types file_upload.type",
	"a modal in answer to a modal, or too late":            "callback.type modal.first 40060",
	"a file that did not come along":                       "media.reference attachments",
	"too many files, or too much of one":                   "30015 40005",
	"what does not go with the V2 flag, an edited poll":    "v2.legacy 520003",
	"the fourth edit of old messages":                      "30046",
	"another app's message, many at once":                  "50005 50016 50034",
	"a command's name":                                     "APPLICATION_COMMAND_INVALID_NAME APPLICATION_COMMANDS_DUPLICATE_NAME 40041",
	"too many commands":                                    "30032 30034",
	"a token too late, an answer too late, twice, or none": "50027 10062 40060 10015",
	"intents that are unknown or not granted":              "4013 4014",
	"mentions that contradict themselves, and too many":    "allowed_mentions.either allowed_mentions.ids",
}

// errorCodes are the codes of refusals in the source of the double.
var errorCodes = regexp.MustCompile(`\bno\((\d+)\)`)

func TestRefusalsAreCovered(t *testing.T) {
	t.Parallel()
	var tests, source strings.Builder
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case !strings.HasSuffix(name, "_test.go"):
			source.Write(raw)
		case name != "refusals_test.go": // The table itself makes no calls.
			tests.Write(raw)
		}
	}
	tried := func(word string) bool {
		return regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(tests.String())
	}
	for trap, words := range traps {
		for word := range strings.FieldsSeq(words) {
			if !tried(word) {
				t.Errorf("%s: no test tries %s", trap, word)
			}
		}
	}
	for _, found := range errorCodes.FindAllStringSubmatch(source.String(), -1) {
		if !tried(found[1]) {
			t.Errorf("no test covers the error %s", found[1])
		}
	}
}
