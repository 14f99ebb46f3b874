package slack

import (
	"testing"
	"testing/synctest"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
)

func TestPermalinkMatchesSlacks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
		w.must(err)
		if got := w.c.Permalink(t.Context(), inChannel, w.post(inChannel, one())); got != "" {
			t.Errorf("Permalink = %q before the workspace is known", got)
		}
		w.must(w.c.Check(t.Context()))
		for _, to := range []ask.Place{inChannel, {Platform: Name, Channel: "C0000001", Thread: root}, {Platform: Name, User: idDana}} {
			ref := w.post(to, one())
			want, err := w.c.only.api.sdk().GetPermalinkContext(t.Context(), &slackapi.PermalinkParameters{Channel: ref.Channel, Ts: ref.Message})
			w.must(err)
			if got := w.c.Permalink(t.Context(), to, ref); got != want {
				t.Errorf("Permalink(%s) = %q, want %q", to, got, want)
			}
		}
		if n := len(w.sim.Calls("chat.getPermalink")); n != 3 {
			t.Errorf("chat.getPermalink was called %d times, want only the 3 calls of this test", n)
		}
	})
}

func TestPermalinkNeedsWorkspaceAddress(t *testing.T) {
	t.Parallel()
	for _, workspace := range []string{"", "http://acme.slack.com/", "javascript:alert(1)", "acme.slack.com", "https://"} {
		if got := Permalink(workspace, "C0000001", "", "1712345678.000100"); got != "" {
			t.Errorf("Permalink(%q) = %q", workspace, got)
		}
	}
	if got := Permalink("https://acme.slack.com/", "C0000001", "", ""); got != "" {
		t.Errorf("Permalink of no message = %q", got)
	}
}
