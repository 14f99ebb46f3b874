package spelling

import "testing"

func TestNearestWord(t *testing.T) {
	t.Parallel()
	words := []string{"to", "route", "responders", "wait", "heard"}
	for word, want := range map[string]string{
		"responder": "responders", "Responders": "responders", "wiat": "wait", "wait": "wait", "rout": "route", "expiry": "", "": "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}

func TestTypoIsNotAnotherWord(t *testing.T) {
	t.Parallel()
	words := []string{"responders", "expires_in", "tool_call_id", "same", "hold", "session"}
	for word, want := range map[string]string{
		"responder": "responders", "expiresIn": "expires_in", "toolCallId": "tool_call_id", "sesion": "session",
		"name": "", "mood": "", "version": "", "person": "", "": "",
	} {
		if got := Slip(word, words); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}
