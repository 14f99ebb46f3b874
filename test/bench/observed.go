package bench

import (
	"context"
	"fmt"
	"time"
)

// exported is how long it takes until what has happened stands in the audit trail, which is written
// once a second: else that of one bridge would be written while the other one plays, and not be counted.
const exported = 1200 * time.Millisecond

// Observed measures what it costs to be told: the bridge with its observer, metrics and audit trail beside the same bridge
// without them, in turn.
func (s *Suite) Observed(ctx context.Context) ([]Figure, error) {
	both := players{{program: s.unpaced, name: "without"}, {program: s.unpaced, name: "with", args: []string{"-observed"}}}
	if err := both.start(ctx, s, "slack", false); err != nil {
		return nil, err
	}
	defer both.close()
	clicks, err := s.rounds(ctx, both, think, false)
	if err != nil {
		return nil, err
	}
	// What is to be told apart is small beside what two rounds differ by, so there are more of them and they are shorter.
	often := *s
	often.size.Rounds, often.size.CrowdLife = 8*s.size.Rounds, (s.size.CrowdLife+2)/3
	crowds, err := often.crowds(ctx, both, exported)
	if err != nil {
		return nil, err
	}
	const without, with = 0, 1
	cpu, spread := ratios(len(crowds[with]), func(n int) (float64, float64) { return crowds[with][n].cpu, crowds[without][n].cpu })
	ack, apart := ratio(clicks[with], clicks[without], acks, 0.5)
	return []Figure{
		atMost("cpu_observed", fmt.Sprintf("processor time per life-cycle with observer, metrics and audit, %d at once", s.size.Crowd), cpu, "× without", 1.05,
			"%.3f ms against %.3f; rounds %.0f %% apart", typical(crowds[with], crowded.cost), typical(crowds[without], crowded.cost), 100*spread),
		atMost("ack_observed", "click to acknowledged with them, p50", ack, "× without", 1+max(apart, 0.05),
			"%.2f ms against %.2f; rounds %.0f %% apart, and what is within that cannot be measured",
			ms(pooled(clicks[with], acks).at(0.5)), ms(pooled(clicks[without], acks).at(0.5)), 100*apart),
	}, nil
}
