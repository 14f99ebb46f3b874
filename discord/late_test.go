package discord

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/askbridge/askbridge/render"
)

// A process resumes after a pause, receives an old interaction, and replies too late.
func TestLateCardResponseIsReported(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		age    time.Duration
		travel time.Duration
		want   error
	}{
		"in time":                  {age: 0, travel: travelTime},
		"after a pause":            {age: 4 * time.Second, travel: travelTime, want: errDoubtful},
		"Discord's clock is ahead": {age: -time.Minute, travel: travelTime},
		"the ID is old":            {age: 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &payload{ID: strconv.FormatInt((time.Now().Add(-tt.age).UnixMilli()-snowflakeEpoch)<<22, 10), Type: typeComponent}
			p.Message.Channel, p.Message.ID = "200000000000000001", "300000000000000001"
			var sent answer
			r := &responder{p: p, received: time.Now(), travel: tt.travel, reply: func(_ context.Context, a answer) error {
				sent = a
				return nil
			}}
			if err := r.Redraw(t.Context(), render.Card{}); !errors.Is(err, tt.want) {
				t.Errorf("Redraw = %v, want %v", err, tt.want)
			}
			if sent.Type != replyRedraw {
				t.Errorf("sent %+v", sent)
			}
		})
	}
}
