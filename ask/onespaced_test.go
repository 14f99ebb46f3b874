package ask

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOneSpaceIsPutBetweenWordsWhateverWasThere(t *testing.T) {
	t.Parallel()
	texts := rapid.StringOf(rapid.SampledFrom([]rune("ab \t\n\u00a0\u2003é")))
	rapid.Check(t, func(rt *rapid.T) {
		text := texts.Draw(rt, "text")
		if got, want := oneSpaced(text), strings.Join(strings.Fields(text), " "); got != want {
			rt.Errorf("oneSpaced(%q) = %q, want %q", text, got, want)
		}
	})
}
