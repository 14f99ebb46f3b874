package discord

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
)

func typing(c *Config) { c.Messages = true }

// Discord sends a message once: text typed during overload was lost silently.
func TestOverloadedMessageGetsBusyNote(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		types func(w *fixture, card, mine string) error
		note  bool
	}{
		"an answer": {func(w *fixture, card, _ string) error {
			_, err := w.sim.Seat(idDana).Reply(deploys, card, "SQLite")
			return err
		}, true},
		"an answer in place of another": {func(w *fixture, _, mine string) error {
			return w.sim.Seat(idDana).Rewrite(deploys, mine, "SQLite")
		}, true},
		"nothing more": {func(w *fixture, _, mine string) error {
			return w.sim.Seat(idDana).Retract(deploys, mine)
		}, false},
		"a reply to another person": {func(w *fixture, _, mine string) error {
			_, err := w.sim.Seat(idDana).Reply(deploys, mine, "lunch?")
			return err
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeGateway, nil, typing)
				w.listen()
				card := w.post(inChannel, one()).Message
				mine, err := w.sim.Seat(idDana).Reply(deploys, card, "Postgres")
				w.must(err)
				w.last()
				release := make(chan struct{})
				w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
					defer func() { <-release }()
					return r.Ack(ctx)
				})
				for range connector.MaxActs {
					w.must(w.sim.Seat(idSam).Press(t.Context(), "SQLite"))
				}
				w.must(tc.types(w, card, mine))
				pass(time.Minute)
				if sees := w.sim.Seat(idDana).Sees(); strings.Contains(sees, words.In(words.Default).Reply.Busy) != tc.note {
					t.Errorf("want a note: %v, Dana sees\n%s\n%s", tc.note, sees, w.log)
				}
				close(release)
			})
		})
	}
}

// Each message of a bulk deletion took the slot of one act, and three bulk deletions took all slots.
func TestBulkDeletionDoesNotBlockAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, typing)
		w.listen()
		card := w.post(inChannel, one()).Message
		w.then(func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
			if i.Typed != nil && i.Typed.Deleted {
				pass(time.Second)
			}
			return r.Ack(ctx)
		})
		gone := map[string]bool{}
		for batch := range 3 {
			var ids []string
			for n := range 100 {
				ids = append(ids, strconv.Itoa(700000000000000000+100*batch+n))
				gone["said "+ids[n]+" deleted"] = true
			}
			raw, err := json.Marshal(map[string]any{"ids": ids, "channel_id": deploys, "guild_id": "100000000000000001"})
			w.must(err)
			w.c.heard(eventPurged, raw)
		}
		_, err := w.sim.Seat(idDana).Reply(deploys, card, "SQLite")
		w.must(err)
		w.last()
		if !slices.ContainsFunc(w.acts, func(i platform.Interaction) bool { return i.Person.ID == idDana }) {
			t.Errorf("Dana's message did not arrive\n%s", w.log)
		}
		w.press(idSam, "Postgres")
		pass(5 * time.Minute)
		w.last()
		for _, i := range w.acts {
			delete(gone, i.ID)
		}
		if len(gone) > 0 {
			t.Errorf("%d deletions did not arrive\n%s", len(gone), w.log)
		}
	})
}

// A typed answer was not confirmed to anyone.
func TestAnnounceWithoutHistoryPermission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, typing)
		w.listen()
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			return r.(platform.Announcer).Announce(ctx, "Taken as the answer of Dana: SQLite")
		})
		w.sim.Deny(deploys, discordsim.ReadMessageHistory)
		_, err := w.sim.Seat(idDana).Reply(deploys, w.post(inChannel, one()).Message, "SQLite")
		w.must(err)
		w.sees(idSam, "Taken as the answer")
	})
}

// A mention of the bot after the answer made it invalid.
func TestMentionIsRemovedFromAnswer(t *testing.T) {
	t.Parallel()
	const bot = "500000000000000001"
	for text, want := range map[string]string{
		"<@" + bot + "> SQLite": "SQLite", "SQLite <@" + bot + ">": "SQLite", " <@!" + bot + ">\n2": "2", "2 <@!" + bot + "> ": "2",
		"<@" + bot + ">": "", "SQLite <@300000000000000001>": "SQLite <@300000000000000001>", "as <@" + bot + "> says": "as <@" + bot + "> says",
	} {
		if got := withoutMention(text, bot); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestMessageTimestamps(t *testing.T) {
	t.Parallel()
	const id = "175928847299117063" // Discord's own example, of 2016-04-30 11:18:25.796 UTC.
	written := time.Date(2016, 4, 30, 11, 18, 25, 796e6, time.UTC)
	for edited, want := range map[string]time.Time{"": written, "2016-04-30T12:00:00.500000+00:00": time.Date(2016, 4, 30, 12, 0, 0, 5e8, time.UTC)} {
		kind := eventCreated
		if edited != "" {
			kind = eventChanged
		}
		m := utterance{ID: id, Channel: "41771983423143937", Author: user{ID: "300000000000000001"}, Content: "SQLite", Edited: edited}
		i, err := m.interaction(kind, home{}, time.Now())
		if err != nil || !i.Typed.At.Equal(want) {
			t.Errorf("edited at %q: %v, %v, want %v", edited, i.Typed, err, want)
		}
	}
	c := &Connector{}
	if at := c.SentAt(id); !at.Equal(written) || !c.SentAt("").IsZero() {
		t.Errorf("it was written at %v, and what is no message at %v", at, c.SentAt(""))
	}
}
