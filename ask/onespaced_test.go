package ask

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOneSpaced(t *testing.T) {
	t.Parallel()
	texts := rapid.StringOf(rapid.SampledFrom([]rune("ab \t\n\u00a0\u2003\u2800é")))
	rapid.Check(t, func(rt *rapid.T) {
		text := texts.Draw(rt, "text")
		if got, want := oneSpaced(text), strings.Join(strings.Fields(strings.ReplaceAll(text, "\u2800", " ")), " "); got != want {
			rt.Errorf("oneSpaced(%q) = %q, want %q", text, got, want)
		}
	})
}
