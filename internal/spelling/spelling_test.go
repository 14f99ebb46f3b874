package spelling

import "testing"

func TestTheWordThatWasMeantIsFound(t *testing.T) {
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
