package slacksim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// A whole app against the double: it asks, Dana presses, and it shows who decided. In a test, slacksim.Start(t, nil)
// closes the workspace at the end and fails the test for every rule of Slack that the app broke.
func Example() {
	sim := slacksim.New(nil)
	defer sim.Close()
	ctx := context.Background()
	api := slackapi.New("xoxb-sim", slackapi.OptionAPIURL(sim.APIURL()), slackapi.OptionHTTPClient(sim.Client()))

	// The app's side of a press: here it would check the signature, see slacksim.Sign.
	sim.DeliverToHandler("/slack/interactions", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var press struct {
			User    struct{ Name string }
			Channel struct{ ID string }
			Message struct{ TS string }
			Actions []struct{ Value string }
		}
		if err := json.Unmarshal([]byte(r.PostFormValue("payload")), &press); err != nil {
			fmt.Println(err)
			return
		}
		text := fmt.Sprintf("*%s*, decided by %s", press.Actions[0].Value, press.User.Name)
		if _, _, _, err := api.UpdateMessageContext(r.Context(), press.Channel.ID, press.Message.TS, slackapi.MsgOptionText(text, false)); err != nil {
			fmt.Println(err)
		}
	}))

	choice := slackapi.NewButtonBlockElement("pick", "Postgres", slackapi.NewTextBlockObject("plain_text", "Postgres", false, false))
	_, _, err := api.PostMessageContext(ctx, "C0000001", slackapi.MsgOptionText("Which database?", false), slackapi.MsgOptionBlocks(
		slackapi.NewSectionBlock(slackapi.NewTextBlockObject("mrkdwn", "*Which database?*", false, false), nil, nil),
		slackapi.NewActionBlock("", choice),
	))
	if err != nil {
		fmt.Println(err)
	}

	dana := sim.Seat("U0000001")
	fmt.Println(dana.Sees())
	if err := dana.Press(ctx, "Postgres"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(sim.Seat("U0000002").Sees())
	// Output:
	// askbridge
	// Which database?
	// [Postgres]
	// askbridge (edited)
	// Postgres, decided by dana
}
