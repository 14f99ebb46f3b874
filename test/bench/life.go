package bench

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// think is how long the person takes; the card has long been written down by
// then, as it has when people answer.
const think = 20 * time.Millisecond

// lives are the times of many life-cycles.
type lives struct {
	mu               sync.Mutex
	ask, ack, answer times
}

func (l *lives) add(ask, ack, answer time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ask, l.ack, l.answer = append(l.ask, ask), append(l.ack, ack), append(l.answer, answer)
}

// live is one life-cycle: an agent asks on one replica and waits there, a person
// clicks on another or the same.
func (w *fixture) live(ctx context.Context, clickAt string, thinking time.Duration, into *lives) error {
	mark, posted := w.expect()
	type reply struct {
		got asked
		at  time.Time
		err error
	}
	replied := make(chan reply, 1)
	began := time.Now()
	go func() {
		got, err := call(ctx, w.agent, http.MethodPost, w.url+"/v1/requests?wait=60s", question(w.kind, mark, mark%1000, ""))
		replied <- reply{got, time.Now(), err}
	}()
	var card time.Duration
	select {
	case p := <-posted:
		card = p.At.Sub(began)
		if err := rest(ctx, thinking); err != nil {
			return err
		}
		clicked := time.Now()
		ack, err := w.person.press(ctx, clickAt, p)
		if err != nil {
			return err
		}
		r := <-replied
		if r.err != nil || r.got.State != "answered" {
			return fmt.Errorf("bench: asked: %+v, %w", r.got, r.err)
		}
		into.add(card, ack, r.at.Sub(clicked))
		return nil
	case r := <-replied:
		return fmt.Errorf("bench: asked: %+v before its card, %w", r.got, r.err)
	}
}

// steady plays lives at a rate that does not depend on how long they take.
func (w *fixture) steady(ctx context.Context, clickAt string, thinking time.Duration, n, rate int, into *lives) error {
	every := time.NewTicker(time.Second / time.Duration(rate))
	defer every.Stop()
	failed := make(chan error, n)
	for range n {
		go func() { failed <- w.live(ctx, clickAt, thinking, into) }()
		<-every.C
	}
	for range n {
		if err := <-failed; err != nil {
			return err
		}
	}
	return nil
}

// together does n things, so many at once.
func together(ctx context.Context, n, at int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var all sync.WaitGroup
	for range at {
		all.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	all.Wait()
	return context.Cause(ctx)
}

// pair is floor and product side by side, and in each a second replica.
type pair struct{ floor, product, floorToo, productToo *fixture }

func (s *Suite) pair(ctx context.Context, kind string, replicas bool) (_ *pair, err error) {
	p := &pair{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.floor, err = s.world(ctx, setting{program: s.floor, kind: kind}); err != nil {
		return nil, err
	}
	if p.product, err = s.world(ctx, setting{program: s.unpaced, kind: kind}); err != nil {
		return nil, err
	}
	if !replicas {
		return p, nil
	}
	if p.floorToo, err = s.world(ctx, setting{program: s.floor, kind: kind, redis: p.floor.redis}); err != nil {
		return nil, err
	}
	p.productToo, err = s.world(ctx, setting{program: s.unpaced, kind: kind, redis: p.product.redis})
	return p, err
}

func (p *pair) close() {
	for _, w := range []*fixture{p.floorToo, p.productToo, p.floor, p.product} {
		if w != nil {
			w.close()
		}
	}
}

// sides are floor and product of one measurement, round by round.
type sides struct{ floor, product []*lives }

// pooled are all samples of one kind.
func pooled(rounds []*lives, of func(*lives) times) times {
	var all times
	for _, l := range rounds {
		all = append(all, of(l)...)
	}
	return all
}

// ratio is product to floor: the median of the rounds, and how far these are
// apart.
func (s sides) ratio(of func(*lives) times, share float64) (middle, spread float64) {
	var rounds []float64
	for n := range s.floor {
		rounds = append(rounds, float64(of(s.product[n]).at(share))/float64(max(of(s.floor[n]).at(share), 1)))
	}
	return median(rounds)
}

func asks(l *lives) times    { return l.ask }
func acks(l *lives) times    { return l.ack }
func answers(l *lives) times { return l.answer }

// rounds plays floor and product in turn. Elsewhere clicks on the second replica.
func (s *Suite) rounds(ctx context.Context, p *pair, thinking time.Duration, elsewhere bool) (sides, error) {
	var all sides
	for round := range s.size.Rounds + 1 {
		floor, product := &lives{}, &lives{}
		for _, side := range []struct {
			w, other *fixture
			into     *lives
		}{{p.floor, p.floorToo, floor}, {p.product, p.productToo, product}} {
			at := side.w.url
			if elsewhere {
				at = side.other.url
			}
			n := s.size.Lives
			if round == 0 {
				n = min(n, 100) // The first round warms connections and scripts up.
			}
			if err := side.w.steady(ctx, at, thinking, n, s.size.Rate, side.into); err != nil {
				return all, fmt.Errorf("%w\nfloor: %s\nproduct: %s", err, p.floor.said(), p.product.said())
			}
		}
		if round > 0 {
			all.floor, all.product = append(all.floor, floor), append(all.product, product)
		}
	}
	return all, nil
}

// Latency measures how long an agent, a person and the agent again wait, at a
// steady rate.
func (s *Suite) Latency(ctx context.Context) ([]Figure, error) {
	var all []Figure
	for _, kind := range []string{"slack", "discord"} {
		p, err := s.pair(ctx, kind, true)
		if err != nil {
			return nil, err
		}
		defer p.close()
		figures, err := s.latency(ctx, p, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
		p.close()
	}
	return all, nil
}

func (s *Suite) latency(ctx context.Context, p *pair, kind string) ([]Figure, error) {
	name := title(kind)
	here, err := s.rounds(ctx, p, think, false)
	if err != nil {
		return nil, err
	}
	there, err := s.rounds(ctx, p, think, true)
	if err != nil {
		return nil, err
	}
	const slow = 150 * time.Millisecond
	p.floor.chat.Slow(slow)
	p.product.chat.Slow(slow)
	late, err := s.rounds(ctx, p, think+slow, false)
	if err != nil {
		return nil, err
	}
	versus := func(key, what string, from sides, of func(*lives) times, share, limit float64) Figure {
		ratio, spread := from.ratio(of, share)
		floor, product := pooled(from.floor, of), pooled(from.product, of)
		return atMost(key+"_"+kind, what+", "+name, ratio, "× floor", limit, "%.2f ms against %.2f; rounds %.0f %% apart",
			ms(product.at(share)), ms(floor.at(share)), 100*spread)
	}
	ack, answer := pooled(here.product, acks), pooled(here.product, answers)
	lateAck, lateAnswer := pooled(late.product, acks), pooled(late.product, answers)
	return []Figure{
		versus("ask_p50", "ask to posted, p50", here, asks, 0.5, 1.4),
		versus("ack_p50", "click to acknowledged, p50", here, acks, 0.5, 1.3),
		versus("ack_p99", "click to acknowledged, p99", here, acks, 0.99, 1.5),
		atMost("wake_"+kind, "agent woken on the same replica, p50, "+name, ms(answer.at(0.5)-ack.at(0.5)), "ms after the ack", 0.1,
			"answer %.2f ms, ack %.2f; floor %.2f and %.2f", ms(answer.at(0.5)), ms(ack.at(0.5)),
			ms(pooled(here.floor, answers).at(0.5)), ms(pooled(here.floor, acks).at(0.5))),
		versus("wake_other", "agent woken on another replica, p50", there, answers, 0.5, 1.3),
		atMost("slow_ack_"+kind, "ack p50 with a platform 150 ms slow, "+name, float64(lateAck.at(0.5))/float64(ack.at(0.5)), "× without", 1.2,
			"%.2f ms against %.2f; floor %.2f", ms(lateAck.at(0.5)), ms(ack.at(0.5)), ms(pooled(late.floor, acks).at(0.5))),
		atMost("slow_wake_"+kind, "agent woken with a platform 150 ms slow, p50, "+name,
			float64(lateAnswer.at(0.5))/float64(answer.at(0.5)), "× without", 1.2,
			"%.2f ms against %.2f", ms(lateAnswer.at(0.5)), ms(answer.at(0.5))),
	}, nil
}

// Processor measures what a life-cycle costs with many at once.
func (s *Suite) Processor(ctx context.Context) ([]Figure, error) {
	var all []Figure
	for _, kind := range []string{"slack", "discord"} {
		p, err := s.pair(ctx, kind, false)
		if err != nil {
			return nil, err
		}
		defer p.close()
		var ratios, floors, products []float64
		for round := range s.size.Rounds + 1 {
			floor, err := p.floor.crowd(ctx, s.size)
			if err != nil {
				return nil, err
			}
			product, err := p.product.crowd(ctx, s.size)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				ratios, floors, products = append(ratios, product/max(floor, 1e-9)), append(floors, floor), append(products, product)
			}
		}
		ratio, spread := median(ratios)
		floor, _ := median(floors)
		product, _ := median(products)
		all = append(all, atMost("cpu_"+kind, "processor time per life-cycle, "+fmt.Sprint(s.size.Crowd)+" at once, "+title(kind), ratio, "× floor", 1.75,
			"%.3f ms against %.3f; rounds %.0f %% apart", product, floor, 100*spread))
		p.close()
	}
	return all, nil
}

// crowd plays lives with many at once and returns milliseconds of processor time
// for each.
func (w *fixture) crowd(ctx context.Context, size Size) (float64, error) {
	before, err := w.cpu()
	if err != nil {
		return 0, err
	}
	err = together(ctx, size.CrowdLife, size.Crowd, func(ctx context.Context, _ int) error { return w.live(ctx, w.url, think/2, &lives{}) })
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, w.said())
	}
	if err := rest(ctx, settled); err != nil {
		return 0, err
	}
	after, err := w.cpu()
	return ms(after-before) / float64(size.CrowdLife), err
}
