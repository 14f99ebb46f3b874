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

// Guild is the server that the channels of [Channel] are in.
const Guild = "100000000000000009"

// Channels is how many a bot hears of when it connects.
const Channels = 1000

// Channel is the id of one of them.
func Channel(n int) string { return fmt.Sprint(200_000_000_000_000_000 + n) }

// gateway is Discord's other way to tell of a click: the one connection of a bot
// that takes none over HTTP. It speaks as much as a library needs to be ready
// (https://docs.discord.com/developers/events/gateway#connections).
type gateway struct {
	mu    sync.Mutex
	conn  *websocket.Conn
	seq   int
	acked map[string]chan time.Time // By the interaction's id.
}

// Click tells the bot of an interaction over its gateway connection and returns
// how long until the callback came that acknowledges it.
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

// callback takes the reply to an interaction: interactions/<id>/<token>/callback.
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

// serve holds a bot's connection until it goes.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	var up websocket.Upgrader
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // The library has replied.
	}
	defer conn.Close()
	g.mu.Lock()
	g.conn = conn
	err = conn.WriteMessage(websocket.TextMessage, []byte(`{"op":10,"d":{"heartbeat_interval":40000}}`))
	g.mu.Unlock()
	for err == nil {
		var said struct {
			Op int `json:"op"`
		}
		if err = conn.ReadJSON(&said); err != nil {
			return
		}
		switch said.Op {
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

// guild is what a bot is told of the server.
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
