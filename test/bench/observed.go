package bench

import (
	"context"
	"fmt"
)

// Observed measures what it costs to be told: the bridge with its observer, metrics and audit trail beside the same bridge
// without them, in turn.
func (s *Suite) Observed(ctx context.Context) ([]Figure, error) {
	p := &pair{}
	defer p.close()
	var err error
	// The bridge without takes the part of the floor.
	if p.floor, err = s.world(ctx, setting{program: s.unpaced, kind: "slack"}); err != nil {
		return nil, err
	}
	if p.product, err = s.world(ctx, setting{program: s.unpaced, kind: "slack", args: []string{"-observed"}}); err != nil {
		return nil, err
	}
	clicks, err := s.rounds(ctx, p, think, false)
	if err != nil {
		return nil, err
	}
	var ratios, without, with []float64
	for round := range s.size.Rounds + 1 {
		off, err := p.floor.crowd(ctx, s.size)
		if err != nil {
			return nil, err
		}
		on, err := p.product.crowd(ctx, s.size)
		if err != nil {
			return nil, err
		}
		if round > 0 {
			ratios, without, with = append(ratios, on/max(off, 1e-9)), append(without, off), append(with, on)
		}
	}
	ratio, spread := median(ratios)
	off, _ := median(without)
	on, _ := median(with)
	ack, apart := clicks.ratio(acks, 0.5)
	return []Figure{
		atMost("cpu_observed", fmt.Sprintf("processor time per life-cycle with observer, metrics and audit, %d at once", s.size.Crowd), ratio, "× without", 1.05,
			"%.3f ms against %.3f; rounds %.0f %% apart", on, off, 100*spread),
		atMost("ack_observed", "click to acknowledged with them, p50", ack, "× without", 1+max(apart, 0.05),
			"%.2f ms against %.2f; rounds %.0f %% apart, and what is within that cannot be measured",
			ms(pooled(clicks.product, acks).at(0.5)), ms(pooled(clicks.floor, acks).at(0.5)), 100*apart),
	}, nil
}
