package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestTerminalAnswerReachesModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ input, typed, want string }{
		"numbers":          {sample, "1\n1,2\n", "(error: false):\nWhich auth method?\nOAuth (Recommended)\n\nWhich languages?\n- Go\n- Rust\n"},
		"own words":        {sample, "other mTLS\n2\n", "(error: false):\nWhich auth method?\nmTLS\n\nWhich languages?\n- Rust\n"},
		"an empty line":    {sample, "1\n\n", "(error: false):\n[cancelled by user]\n"},
		"no question":      {`{"questions": []}`, "", "(error: true):\naskuserquestion: questions must be a non-empty array\n"},
		"the same label":   {strings.Replace(sample, "API key", "OAuth (Recommended)", 1), "", "(error: true):\naskuserquestion: option labels within a question must be unique\n"},
		"no question mark": {strings.ReplaceAll(sample, "?", ""), "2\n1\n", "(error: false):\nWhich auth method\nAPI key\n\nWhich languages\n- Go\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := run(t.Context(), c.input, strings.NewReader(c.typed), &out); err != nil || !strings.HasSuffix(out.String(), c.want) {
				t.Errorf("%v: %s", err, &out)
			}
		})
	}
}
