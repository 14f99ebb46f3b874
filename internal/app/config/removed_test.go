package config

import "testing"

func TestRemovedSettingWarns(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"as it was":               "[collector, connections]",
		"with an unknown word":    "[stacks]",
		"with another shape":      "{collector: true}",
		"with a missing variable": "${UNSET_PLAIN}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := parse("askbridge.yaml", []byte("slack: {mode: http}\nplain: "+value+"\n"), chats(), surroundings{env: func(string) (string, bool) { return "", false }})
			if err != nil {
				t.Fatal(err)
			}
			const want = "askbridge.yaml:2:1: plain: this setting was removed and has no effect; delete it. " +
				"To tune the garbage collector set GOGC or GOMEMLIMIT in the environment"
			for method, err := range map[string]error{"Removed": c.Removed(), "Advise": c.Advise()} {
				if err == nil || err.Error() != want {
					t.Errorf("%s:\n%v\nwant:\n%s", method, err, want)
				}
			}
		})
	}
}

func TestUnknownKeyIsNotARemovedSetting(t *testing.T) {
	t.Parallel()
	if _, err := parse("askbridge.yaml", []byte("slack: {plain: [collector]}\n"), chats(), surroundings{}); err == nil {
		t.Error("slack.plain is accepted")
	}
	c, err := parse("askbridge.yaml", []byte("slack: {mode: http}\n"), chats(), surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Removed(); err != nil {
		t.Errorf("without removed settings: %v", err)
	}
}
