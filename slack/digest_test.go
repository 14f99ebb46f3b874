package slack

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

func digestOf(n int) render.Card {
	v := render.DigestView{ID: "digest-1764576000", At: time.Unix(1_764_576_000, 0), Total: n}
	for range n {
		v.Items = append(v.Items, render.DigestItem{Title: "Which database?", Agent: "deploy-bot", Link: "https://acme.slack.com/archives/C0000001/p1"})
	}
	return render.Digest(v)
}

func TestDigestIsPostedFoundAndDeleted(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		dana := ask.Place{Platform: Name, User: idDana}
		ref, err := w.c.PostDigest(t.Context(), dana, digestOf(2))
		w.must(err)
		w.sees(idDana, "2 requests wait for you", "Which database?")
		found, err := w.c.Find(t.Context(), dana, "digest-1764576000", time.Time{})
		if err != nil || len(found) != 1 || found[0] != ref {
			t.Errorf("found %v, %v", found, err)
		}
		w.must(w.c.Update(t.Context(), ref, digestOf(0)))
		w.sees(idDana, "Nothing waits for you any more")
		w.must(w.c.DeleteDigest(t.Context(), ref))
		w.doesNotSee(idDana, "Nothing waits")
		if e, ok := errors.AsType[*platform.Error](w.c.DeleteDigest(t.Context(), ref)); !ok || e.Kind != platform.Gone {
			t.Errorf("deleted again: %v", e)
		}
	})
}

func TestZonesOfPeople(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		scopes []string
		want   string
	}{
		"known":             {nil, "Asia/Tokyo"},
		"without the scope": {[]string{"chat:write", "im:write"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tokyo, err := time.LoadLocation("Asia/Tokyo")
				if err != nil {
					t.Fatal(err)
				}
				w := newFixture(t, ModeHTTP, &slacksim.Options{BotScopes: tt.scopes, People: []slacksim.Person{{ID: idDana, Name: "dana", RealName: "Dana", Zone: tokyo}}})
				w.listen()
				who, zone, err := w.c.ZoneOf(t.Context(), ask.Place{Platform: Name, User: idDana})
				if err != nil || zone != tt.want || who != (ask.Person{Platform: Name, ID: idDana}) {
					t.Errorf("zone %q of %+v, %v, want %q", zone, who, err, tt.want)
				}
			})
		})
	}
}
