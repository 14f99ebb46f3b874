package bench

import (
	"context"
	"fmt"
	"time"
)

// player is a program that takes turns with others.
type player struct {
	program, name string
	args          []string // Extra arguments of the product.
	gateway       bool     // Receives clicks over Discord's gateway.

	here *fixture
	// elsewhere is a second replica, if requested.
	elsewhere *fixture
}

// players are started together and take turns.
type players []*player

// start creates a fixture for every program, and a second replica if requested.
func (all players) start(ctx context.Context, s *Suite, kind string, replicas bool) (err error) {
	defer func() {
		if err != nil {
			all.close()
		}
	}()
	for _, p := range all {
		if p.here, err = s.world(ctx, setting{program: p.program, kind: kind, args: p.args, gateway: p.gateway}); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if !replicas {
			continue
		}
		if p.elsewhere, err = s.world(ctx, setting{program: p.program, kind: kind, redis: p.here.redis, args: p.args}); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (all players) close() {
	for _, p := range all {
		for _, w := range []*fixture{p.elsewhere, p.here} {
			if w != nil {
				w.close()
			}
		}
	}
}

// compared returns floor and product, which every comparison starts with.
func (s *Suite) compared() players {
	return players{{program: s.floor, name: "floor"}, {program: s.unpaced, name: "askbridge"}}
}

// warm runs uncounted life-cycles so that a just-in-time compiler has optimized the program.
func (p *player) warm(ctx context.Context, size Size) error {
	_, err := p.here.crowd(ctx, size, size.Warm, settled)
	return err
}

// rounds runs the programs in turn at a steady rate and returns the life-cycles of each, round by round. With
// elsewhere, clicks go to the second replica.
func (s *Suite) rounds(ctx context.Context, all players, thinking time.Duration, elsewhere bool) ([][]*lives, error) {
	played := make([][]*lives, len(all))
	for round := range s.size.Rounds + 1 {
		for n, p := range all {
			at, count := p.here.url, s.size.Lives
			if elsewhere {
				at = p.elsewhere.url
			}
			if round == 0 {
				count = min(count, 100) // The first round warms up connections and scripts.
			}
			into := &lives{}
			before, err := p.here.cpu()
			if err != nil {
				return nil, err
			}
			if err := p.here.steady(ctx, at, thinking, count, s.size.Rate, into); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", p.name, err, p.here.stderr())
			}
			after, err := p.here.cpu()
			if err != nil {
				return nil, err
			}
			into.cpu = ms(after-before) / float64(count)
			if round > 0 {
				played[n] = append(played[n], into)
			}
		}
	}
	return played, nil
}

// pooled returns all samples of one kind.
func pooled(rounds []*lives, of func(*lives) times) times {
	var all times
	for _, l := range rounds {
		all = append(all, of(l)...)
	}
	return all
}

// ratio compares one program with another: the median over the rounds, and the spread.
func ratio(one, other []*lives, of func(*lives) times, share float64) (middle, spread float64) {
	return ratios(len(one), func(n int) (float64, float64) {
		return float64(of(one[n]).at(share)), float64(of(other[n]).at(share))
	})
}

// ratios returns the median of n quotients, and their spread.
func ratios(n int, each func(n int) (one, other float64)) (middle, spread float64) {
	var all []float64
	for i := range n {
		one, other := each(i)
		all = append(all, one/max(other, 1e-9))
	}
	return median(all)
}

func asks(l *lives) times    { return l.ask }
func acks(l *lives) times    { return l.ack }
func answers(l *lives) times { return l.answer }
