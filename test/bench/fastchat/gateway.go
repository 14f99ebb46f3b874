package fastchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Guild is the ID of the guild with the channels of [Channel].
const Guild = "100000000000000009"

// Channels is the number of channels in the guild.
const Channels = 1000

// Channel returns the ID of the nth channel.
func Channel(n int) string { return fmt.Sprint(200_000_000_000_000_000 + n) }

// gateway sends clicks over the WebSocket connection of one bot, as Discord does for bots that receive none over
// HTTP. It implements only what libraries need to become ready
// (https://docs.discord.com/developers/events/gateway#connections).
type gateway struct {
	mu    sync.Mutex
	conn  *websocket.Conn
	seq   int
	acked map[string]chan time.Time // By interaction ID.
}

// Click sends an interaction over the gateway and returns how long the bot took to acknowledge it with a callback.
func (s *Server) Click(ctx context.Context, id, interaction string) (time.Duration, error) {
	acked := make(chan time.Time, 1)
	g := &s.gateway
	g.mu.Lock()
	g.acked[id] = acked
	g.mu.Unlock()
	began := time.Now()
	if err := g.dispatch("INTERACTION_CREATE", interaction); err != nil {
		return 0, err
	}
	select {
	case at := <-acked:
		return at.Sub(began), nil
	case <-time.After(20 * time.Second):
		return 0, errors.New("fastchat: a click over the gateway is not acknowledged")
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// callback handles the response to an interaction: interactions/<id>/<token>/callback.
func (g *gateway) callback(path string, at time.Time) {
	_, rest, _ := strings.Cut(path, "interactions/")
	id, _, _ := strings.Cut(rest, "/")
	g.mu.Lock()
	acked := g.acked[id]
	delete(g.acked, id)
	g.mu.Unlock()
	if acked != nil {
		acked <- at
	}
}

// serve runs a bot's connection until it closes.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	var up websocket.Upgrader
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // The upgrader has replied.
	}
	defer conn.Close()
	g.mu.Lock()
	g.conn = conn
	err = conn.WriteMessage(websocket.TextMessage, []byte(`{"op":10,"d":{"heartbeat_interval":40000}}`))
	g.mu.Unlock()
	for err == nil {
		var frame struct {
			Op int `json:"op"`
		}
		if err = conn.ReadJSON(&frame); err != nil {
			return
		}
		switch frame.Op {
		case 1:
			g.mu.Lock()
			err = conn.WriteMessage(websocket.TextMessage, []byte(`{"op":11}`))
			g.mu.Unlock()
		case 2:
			err = errors.Join(
				g.dispatch("READY", `{"v":10,"user":{"id":"`+bot+`","username":"bench","discriminator":"0","bot":true},"guilds":[{"id":"`+Guild+`","unavailable":true}],`+
					`"session_id":"bench","resume_gateway_url":"ws://`+r.Host+`/gateway","application":{"id":"`+Application+`","flags":0}}`),
				g.dispatch("GUILD_CREATE", guild()),
			)
		}
	}
}

// guild returns the guild as sent to a bot.
func guild() string {
	var channels []string
	for n := range Channels {
		channels = append(channels, fmt.Sprintf(`{"id":%q,"type":0,"name":"bench-%d","position":%d,"permission_overwrites":[]}`, Channel(n), n, n))
	}
	return `{"id":"` + Guild + `","name":"bench","owner_id":"` + bot + `","roles":[{"id":"` + Guild + `","name":"@everyone","permissions":"0","position":0}],` +
		`"emojis":[],"stickers":[],"members":[],"presences":[],"voice_states":[],"threads":[],"stage_instances":[],"guild_scheduled_events":[],"features":[],` +
		`"member_count":2,"channels":[` + strings.Join(channels, ",") + `]}`
}

func (g *gateway) dispatch(event, data string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn == nil {
		return errors.New("fastchat: no bot is connected")
	}
	g.seq++
	return g.conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"op":0,"s":%d,"t":%q,"d":%s}`, g.seq, event, json.RawMessage(data)))
}
