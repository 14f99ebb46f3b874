package bench

import (
	"context"
	"time"
)

// Latency measures at a steady rate how long an agent waits for the card, a person for the acknowledgement, and the
// agent for the answer.
func (s *Suite) Latency(ctx context.Context) ([]Figure, error) {
	var all []Figure
	for _, kind := range kinds {
		figures, err := s.latency(ctx, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

func (s *Suite) latency(ctx context.Context, kind string) ([]Figure, error) {
	both := s.compared()
	if err := both.start(ctx, s, kind, true); err != nil {
		return nil, err
	}
	defer both.close()
	peers := peersOf(s, kind)
	if err := peers.start(ctx, s, kind, false); err != nil {
		return nil, err
	}
	defer peers.close()
	for _, p := range peers {
		if err := p.warm(ctx, s.size); err != nil {
			return nil, err
		}
	}
	here, err := s.rounds(ctx, append(both, peers...), think, false)
	if err != nil {
		return nil, err
	}
	peers.close()
	there, err := s.rounds(ctx, both, think, true)
	if err != nil {
		return nil, err
	}
	const slow = 150 * time.Millisecond
	for _, p := range both {
		p.here.chat.Slow(slow)
	}
	late, err := s.rounds(ctx, both, think+slow, false)
	if err != nil {
		return nil, err
	}
	name, floor, product := title(kind), here[0], here[1]
	versus := func(key, what string, one, floor []*lives, of func(*lives) times, share, limit float64) Figure {
		middle, spread := ratio(one, floor, of, share)
		f := atMost(key+"_"+kind, what+", "+name, middle, "× floor", limit, "%.2f ms against %.2f; rounds %.0f %% apart",
			ms(pooled(one, of).at(share)), ms(pooled(floor, of).at(share)), 100*spread)
		f.Asked = limit > 0
		return f
	}
	asked, acked := "ask to posted, p50, "+name, "click to acknowledged, p50, "+name
	ack, answer := pooled(product, acks), pooled(product, answers)
	lateAck, lateAnswer := pooled(late[1], acks), pooled(late[1], answers)
	figures := []Figure{
		versus("ask_p50", "ask to posted, p50", product, floor, asks, 0.5, 1.6).in("latency", asked, ours, 0),
		versus("ack_p50", "click to acknowledged, p50", product, floor, acks, 0.5, 1.35).in("latency", acked, ours, 0),
		versus("ack_p99", "click to acknowledged, p99", product, floor, acks, 0.99, 1.4),
		atMost("wake_"+kind, "agent woken on the same replica, p50, "+name, ms(answer.at(0.5)-ack.at(0.5)), "ms after the ack", 0.1,
			"answer %.2f ms, ack %.2f; floor %.2f and %.2f", ms(answer.at(0.5)), ms(ack.at(0.5)),
			ms(pooled(floor, answers).at(0.5)), ms(pooled(floor, acks).at(0.5))),
		versus("wake_other", "agent woken on another replica, p50", there[1], there[0], answers, 0.5, 1.3),
		atMost("slow_ack_"+kind, "ack p50 with a platform 150 ms slow, "+name, float64(lateAck.at(0.5))/float64(ack.at(0.5)), "× without", 1.2,
			"%.2f ms against %.2f; floor %.2f", ms(lateAck.at(0.5)), ms(ack.at(0.5)), ms(pooled(late[0], acks).at(0.5))),
		atMost("slow_wake_"+kind, "agent woken with a platform 150 ms slow, p50, "+name,
			float64(lateAnswer.at(0.5))/float64(answer.at(0.5)), "× without", 1.2,
			"%.2f ms against %.2f", ms(lateAnswer.at(0.5)), ms(answer.at(0.5))),
	}
	for n, p := range peers {
		played := here[len(both)+n]
		figures = append(figures,
			versus("ask_p50_"+p.key(), "ask to posted, p50, "+p.name, played, floor, asks, 0.5, 0).in("latency", asked, p.name, 0),
			versus("ack_p50_"+p.key(), "click to acknowledged, p50, "+p.name, played, floor, acks, 0.5, 0).in("latency", acked, p.name, 0),
		)
	}
	return figures, nil
}
