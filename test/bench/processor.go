package bench

import (
	"context"
	"fmt"
	"time"
)

// Processor measures processor time per life-cycle with many at once, for floor, product and peers. Each click
// follows its card immediately.
func (s *Suite) Processor(ctx context.Context) ([]Figure, error) {
	var all []Figure
	for _, kind := range kinds {
		figures, err := s.processor(ctx, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

func (s *Suite) processor(ctx context.Context, kind string) ([]Figure, error) {
	peers := peersOf(s, kind)
	all := append(s.compared(), peers...)
	const floor, product, first = 0, 1, 2
	shown, by := product, ""
	if p := s.alike(kind); p != nil {
		shown, by = len(all), " over the gateway"
		all = append(all, p)
	}
	if err := all.start(ctx, s, kind, false); err != nil {
		return nil, err
	}
	defer all.close()
	for _, p := range peers {
		if err := p.warm(ctx, s.size); err != nil {
			return nil, err
		}
	}
	spent, err := s.crowds(ctx, all, settled)
	if err != nil {
		return nil, err
	}
	name, at := title(kind), fmt.Sprint(s.size.Crowd)+" at once, "+title(kind)
	drawn := "processor time per life-cycle, " + name
	versus := func(one, other int, of func(crowded) float64) (value float64, detail string) {
		value, spread := ratios(len(spent[one]), func(n int) (float64, float64) { return of(spent[one][n]), of(spent[other][n]) })
		return value, fmt.Sprintf("%s against %s; rounds %.0f %% apart", number(typical(spent[one], of)), number(typical(spent[other], of)), 100*spread)
	}
	value, detail := versus(product, floor, crowded.cost)
	figures := []Figure{atMost("cpu_"+kind, "processor time per life-cycle, "+at, value, "× floor", 2.3, "ms: %s", detail).in("processor", drawn, ours, 0)}
	rss, err := all[product].here.rss()
	if err != nil {
		return nil, err
	}
	figures = append(figures, atMost("load_MiB_"+kind, "memory (RSS) under load, "+at, float64(rss)/mib, "MiB", 90, "after %d life-cycles", (s.size.Rounds+1)*s.size.CrowdLife))
	if shown != product {
		value, detail = versus(shown, floor, crowded.cost)
		figures = append(figures, Figure{
			Key: "cpu_" + kind + "_alike", Name: "processor time per life-cycle, " + name + by, Value: value, Unit: "× floor", Detail: "ms: " + detail,
		}.in("processor", drawn, all[shown].name, 0))
	}
	for n, p := range peers {
		value, detail = versus(first+n, floor, crowded.cost)
		figures = append(figures, Figure{
			Key: "cpu_" + kind + "_" + p.key(), Name: "processor time per life-cycle, " + name + ", " + p.name, Value: value, Unit: "× floor", Detail: "ms: " + detail,
		}.in("processor", drawn, p.name, 0))
		value, detail = versus(shown, first+n, crowded.cost)
		figures = append(figures, atMost("cpu_"+kind+"_below_"+p.key(), "processor time per life-cycle, "+name+by+", compared with "+p.name, value, "× "+p.name, 1, "ms: %s", detail))
	}
	return figures, nil
}

// crowded is the result of one round with many life-cycles at once.
type crowded struct {
	cpu float64 // Milliseconds of processor time per life-cycle.
}

func (c crowded) cost() float64 { return c.cpu }

// crowds runs the programs in turn with many life-cycles at once and returns the results of each, round by round.
// After a round each program gets time to finish its writes. Every second round reverses the order, so that no
// program benefits from its position.
func (s *Suite) crowds(ctx context.Context, all players, settle time.Duration) ([][]crowded, error) {
	spent := make([][]crowded, len(all))
	for round := range s.size.Rounds + 1 {
		for turn := range all {
			n := turn
			if round%2 == 1 {
				n = len(all) - 1 - turn
			}
			p := all[n]
			each, err := p.here.crowd(ctx, s.size, s.size.CrowdLife, settle)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			if round > 0 { // The first round warms up.
				spent[n] = append(spent[n], each)
			}
		}
	}
	return spent, nil
}

// typical returns the median over the rounds.
func typical(rounds []crowded, of func(crowded) float64) float64 {
	var all []float64
	for _, r := range rounds {
		all = append(all, of(r))
	}
	middle, _ := median(all)
	return middle
}

// crowd runs n life-cycles, many at once.
func (w *fixture) crowd(ctx context.Context, size Size, n int, settle time.Duration) (crowded, error) {
	before, err := w.cpu()
	if err != nil {
		return crowded{}, err
	}
	err = together(ctx, n, size.Crowd, func(ctx context.Context, _ int) error { return w.live(ctx, w.url, 0, &lives{}) })
	if err != nil {
		return crowded{}, fmt.Errorf("%w\n%s", err, w.stderr())
	}
	if err := rest(ctx, settle); err != nil {
		return crowded{}, err
	}
	after, err := w.cpu()
	return crowded{cpu: ms(after-before) / float64(n)}, err
}
