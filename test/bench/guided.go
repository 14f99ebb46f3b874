package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Guided measures what the compiler would save if it knew which calls are hot
// (https://go.dev/doc/pgo): it takes a profile of the load of [Suite.Processor], builds the
// product along it, and plays it in turn with the one that is shipped.
func (s *Suite) Guided(ctx context.Context) ([]Figure, error) {
	profile, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	if !s.size.Guide {
		profile = "off"
	}
	guided := filepath.Join(s.dir, "guided")
	if err := compile(ctx, s.root, "-pgo", profile, "-o", guided, "./test/bench/unpaced"); err != nil {
		return nil, err
	}
	var figures []Figure
	for _, kind := range kinds {
		all := players{{program: s.unpaced, name: "as shipped"}, {program: guided, name: "guided"}}
		if err := all.start(ctx, s, kind, false); err != nil {
			return nil, err
		}
		spent, err := s.crowds(ctx, all, settled)
		all.close()
		if err != nil {
			return nil, err
		}
		plain, along := spent[0], spent[1]
		value, spread := ratios(len(plain), func(n int) (float64, float64) { return along[n].cpu, plain[n].cpu })
		figures = append(figures, atMost("guided_"+kind, "processor time per life-cycle, built along a profile, "+title(kind), value, "× as shipped", 0.97,
			"ms: %s against %s; rounds %.0f %% apart", number(typical(along, crowded.cost)), number(typical(plain, crowded.cost)), 100*spread))
	}
	return figures, nil
}

// profile is a file that tells what the product does with many lives at once on both
// platforms.
func (s *Suite) profile(ctx context.Context) (string, error) {
	merge := []string{"tool", "pprof", "-proto"}
	for _, kind := range kinds {
		file := filepath.Join(s.dir, kind+".pprof")
		merge = append(merge, file)
		busy := players{{program: s.unpaced, name: "askbridge", args: []string{"-cpuprofile", file}}}
		if err := busy.start(ctx, s, kind, false); err != nil {
			return "", err
		}
		_, err := s.crowds(ctx, busy, settled)
		busy.close() // It writes the profile when it ends.
		if err != nil {
			return "", err
		}
	}
	cmd := exec.CommandContext(ctx, "go", merge...)
	cmd.Stderr = os.Stderr
	merged, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("bench: merge profiles: %w", err)
	}
	file := filepath.Join(s.dir, "merged.pprof")
	return file, os.WriteFile(file, merged, 0o600)
}
