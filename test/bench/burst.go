package bench

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/test/bench/fastchat"
)

// Burst asks much at once in a few channels of a platform that enforces its
// rate, with the real program, and meanwhile asks in an idle channel.
func (s *Suite) Burst(ctx context.Context) ([]Figure, error) {
	var all []Figure
	for _, k := range []struct {
		kind string
		rate fastchat.Rate
	}{
		{"slack", fastchat.Rate{Burst: 1, Window: time.Second}},
		{"discord", fastchat.Rate{Burst: 5, Window: 5 * time.Second}},
	} {
		figures, err := s.burst(ctx, k.kind, k.rate)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.kind, err)
		}
		all = append(all, figures...)
	}
	return all, nil
}

func (s *Suite) burst(ctx context.Context, kind string, rate fastchat.Rate) ([]Figure, error) {
	w, err := s.world(ctx, setting{program: s.askbridge, kind: kind, rate: rate})
	if err != nil {
		return nil, err
	}
	defer w.close()
	const idle = 900 // The first of the channels that nothing else is asked in.
	var alone, meanwhile times
	for n := range 5 {
		took, err := w.askIn(ctx, idle+n)
		if err != nil {
			return nil, err
		}
		alone = append(alone, took)
	}
	each := s.size.Burst / s.size.Channels
	began := time.Now()
	posts, failed := make(chan fastchat.Post, s.size.Burst), make(chan error, s.size.Burst)
	for n := range s.size.Burst {
		mark, posted := w.expect()
		go func() {
			_, err := call(ctx, w.agent, token, http.MethodPost, w.url+"/v1/requests", question(kind, mark, n%s.size.Channels, ""))
			if err == nil {
				posts <- <-posted
			}
			failed <- err
		}()
	}
	for n := range 5 {
		if err := rest(ctx, 300*time.Millisecond); err != nil {
			return nil, err
		}
		took, err := w.askIn(ctx, idle+10+n)
		if err != nil {
			return nil, err
		}
		meanwhile = append(meanwhile, took)
	}
	var last time.Time
	for range s.size.Burst {
		if err := <-failed; err != nil {
			return nil, err
		}
		if p := <-posts; p.At.After(last) {
			last = p.At
		}
	}
	name, took := title(kind), last.Sub(began)
	ideal := time.Duration((each-1)/rate.Burst) * rate.Window
	used := 1.0
	if ideal > 0 {
		used = float64(ideal) / float64(took)
	}
	return []Figure{
		atLeast("burst_used_"+kind, fmt.Sprintf("share of the allowed rate that %d asks in %d channels use, %s", s.size.Burst, s.size.Channels, name), used, "", 0.95,
			"%.2f s where %s is possible; all posted", took.Seconds(), ideal),
		atMost("burst_429_"+kind, "posts refused as too fast, "+name, float64(w.chat.Refused()), "", 0, "%d in a channel each %s", rate.Burst, rate.Window),
		atMost("burst_idle_"+kind, "ask in an idle channel meanwhile, "+name, ms(meanwhile.at(0.5)-alone.at(0.5)), "ms more than alone", 5,
			"%.2f ms against %.2f", ms(meanwhile.at(0.5)), ms(alone.at(0.5))),
	}, nil
}

// askIn is how long until a card stands in a channel.
func (w *fixture) askIn(ctx context.Context, channel int) (time.Duration, error) {
	mark, posted := w.expect()
	began := time.Now()
	if _, err := call(ctx, w.agent, token, http.MethodPost, w.url+"/v1/requests", question(w.kind, mark, channel, "")); err != nil {
		return 0, err
	}
	select {
	case p := <-posted:
		return p.At.Sub(began), nil
	case <-time.After(20 * time.Second):
		return 0, fmt.Errorf("bench: no card in an idle channel")
	}
}
