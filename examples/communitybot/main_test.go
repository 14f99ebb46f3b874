package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/askbridgetest"
)

func TestOnlyModeratorsDecide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Discord}})
		m := moderators{bridge: w.Bridge, channel: "200000000000000001", role: "400000000000000001"}
		spam := report{id: "message-1", author: "eve", text: "Buy <@everyone> gold!"}
		verdict := make(chan string, 1)
		go func() {
			got, err := m.judge(t.Context(), spam)
			if err != nil {
				t.Error(err)
			}
			verdict <- got
		}()
		sam, kim := w.Discord.Seat("300000000000000002"), w.Discord.Seat("300000000000000003")
		if err := sam.AwaitText(t.Context(), "Buy", "[ban]"); err != nil {
			t.Fatal(err)
		}
		if err := sam.Press(t.Context(), "keep"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		select {
		case got := <-verdict:
			t.Fatalf("someone without the role decided %q", got)
		default:
		}
		if err := kim.Press(t.Context(), "ban"); err != nil {
			t.Fatal(err)
		}
		if got := <-verdict; got != "ban" {
			t.Errorf("the verdict is %q", got)
		}
		if again, err := m.judge(t.Context(), spam); err != nil || again != "ban" {
			t.Errorf("again: %q, %v", again, err)
		}
		if err := sam.Await(t.Context(), func(sees string) bool { return !strings.Contains(sees, "[ban]") }); err != nil {
			t.Error(err)
		}
	})
}
