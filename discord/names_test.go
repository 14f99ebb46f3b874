package discord

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
)

func TestPlaceName(t *testing.T) {
	t.Parallel()
	dana, sam := ask.Place{Platform: Name, User: idDana}, ask.Place{Platform: Name, User: idSam}
	for _, mode := range []string{ModeHTTP, ModeGateway} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, mode, nil)
				w.listen()
				called := func(at ask.Place, want string) {
					t.Helper()
					if got := w.c.PlaceName(t.Context(), at); got != want {
						t.Errorf("%s is called %q, want %q", at, got, want)
					}
				}
				ref := w.post(inChannel, one())
				called(inChannel, "")
				w.c.Permalink(t.Context(), inChannel, ref)
				called(inChannel, "#deploys")
				called(inThread, "#deploys")
				called(dana, "")
				w.post(dana, one())
				called(dana, "Dana")
				called(sam, "")
				w.press(idSam, "SQLite")
				w.last()
				called(sam, "Sam")
				w.c.heard(eventChannel, json.RawMessage(`{"id":"`+deploys+`","name":"ships\u202e\n"}`))
				called(inChannel, "#ships")
			})
		})
	}
}

func TestChannelNamesFromGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, serving(ours))
		w.listen()
		synctest.Wait()
		if got := w.c.PlaceName(t.Context(), inChannel); got != "#deploys" {
			t.Errorf("called %q", got)
		}
	})
}
