package render_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	catalogue "github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
	"github.com/askbridge/askbridge/test/golden"
)

// On an open card, a screen reader reads who asks and how to answer first, and every control after the text it
// belongs to.
func TestOpenCardsAreReadInOrder(t *testing.T) {
	t.Parallel()
	say := catalogue.In(catalogue.Default)
	fixed, _, _ := strings.Cut(say.Card.ByButton(catalogue.Slot(0)), catalogue.Slot(0))
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			s := subject(t, c, l.Platform)
			if s.Outcome.State != ask.Open || s.Held != nil {
				return
			}
			s.Language = ""
			card := render.Layout(s, l)
			var summary strings.Builder
			for _, span := range card.Summary {
				summary.WriteString(span.Text)
			}
			asker := say.Card.AnAgent
			if s.Agent != "" {
				asker = render.Cut(render.Line(s.Agent), 40, nil)
			}
			if !strings.HasPrefix(summary.String(), strings.TrimSuffix(asker, render.Ellipsis)) {
				t.Errorf("%s: %q does not begin with the agent", l.Platform, summary.String())
			}
			ways := []string{fixed, say.Card.ByButtons, say.Card.ByList, say.Card.BySubmit, say.Card.ByForm, say.Card.ByText, say.Files.Due, say.Files.Missing}
			found := len(s.Questions) == 0
			for _, way := range ways {
				found = found || strings.Contains(summary.String(), way)
			}
			if !found {
				t.Errorf("%s: %q does not say how to answer", l.Platform, summary.String())
			}
			seen := map[int]bool{}
			for _, sec := range card.Sections {
				if sec.Kind == render.Body {
					seen[len(seen)] = true
				}
				if (sec.Kind == render.Row || sec.Kind == render.Choice) && len(seen) == 0 {
					t.Errorf("%s: the control %s comes before any text", l.Platform, sec.ID)
				}
			}
		}
	})
}
