package discord

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

func digestOf(n int) render.Card {
	v := render.DigestView{ID: "digest-1764576000", At: time.Unix(1_764_576_000, 0), Total: n}
	for range n {
		v.Items = append(v.Items, render.DigestItem{Title: "Which database?", Agent: "deploy-bot"})
	}
	return render.Digest(v)
}

func TestDigestIsPostedFoundAndDeleted(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		ref, err := w.c.PostDigest(t.Context(), toDana, digestOf(2))
		w.must(err)
		w.sees(idDana, "2 requests wait for you", "Which database?")
		found, err := w.c.Find(t.Context(), toDana, "digest-1764576000", time.Time{})
		if err != nil || len(found) != 1 || found[0] != ref {
			t.Errorf("found %v, %v", found, err)
		}
		if again, err := w.c.PostDigest(t.Context(), toDana, digestOf(2)); err != nil || again != ref {
			t.Errorf("a repeated post is %v, %v, want the first message", again, err)
		}
		w.must(w.c.Update(t.Context(), ref, digestOf(0)))
		w.sees(idDana, "Nothing waits for you any more")
		w.must(w.c.DeleteDigest(t.Context(), ref))
		w.doesNotSee(idDana, "Nothing waits")
		for name, ref := range map[string]platform.MessageRef{"again": ref, "nowhere": {Platform: Name, Channel: "x"}} {
			if e, ok := errors.AsType[*platform.Error](w.c.DeleteDigest(t.Context(), ref)); !ok || e.Kind != platform.Gone {
				t.Errorf("deleted %s: %v", name, e)
			}
		}
	})
}

// Cards for people with closed direct messages go to a channel; a list of everything that waits for them must not.
func TestDigestNeverGoesToTheFallback(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, func(cfg *Config) { cfg.DMFallback = general })
		w.listen()
		w.sim.CloseDM(idDana, true)
		_, err := w.c.PostDigest(t.Context(), toDana, digestOf(1))
		if e, ok := errors.AsType[*platform.Error](err); !ok || e.Kind != platform.Unreachable {
			t.Errorf("posted to closed direct messages: %v", err)
		}
		w.doesNotSee(idSam, "Which database?")
	})
}
