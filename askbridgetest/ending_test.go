package askbridgetest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
)

// A message typed during shutdown was refused, and the double failed the test for a violated rule of Slack.
func TestMessageDuringShutdownIsNoViolation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}, Typed: true})
		if _, err := w.Client.Submit(t.Context(), ask.Request{Questions: []ask.Question{ask.YesNo("Ship it?")}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		dana := w.Slack.Seat("U0000001")
		w.Slack.Fault("chat.update", chatsim.Delay(2*time.Second))
		if err := dana.Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		result := make(chan error, 1)
		time.AfterFunc(time.Second, func() {
			_, err := dana.Say("C0000001", "", "hello")
			result <- err
		})
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Fatalf("the world took %v to end, want the two seconds of the card", took)
		}
		if err := <-result; err != nil {
			t.Fatal(err)
		}
	})
}
