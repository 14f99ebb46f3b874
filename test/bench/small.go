package bench

import (
	"context"
	"net/http"
	"os"
	"time"
)

const mib = 1 << 20

// Small measures the program by itself: size, start, and memory when nothing
// happens.
func (s *Suite) Small(ctx context.Context) ([]Figure, error) {
	info, err := os.Stat(s.askbridge)
	if err != nil {
		return nil, err
	}
	redis, err := startRedis(ctx)
	if err != nil {
		return nil, err
	}
	defer redis.close()
	var product, floor times
	var idle []float64
	for range s.size.Starts {
		took, _, err := s.cold(ctx, setting{program: s.floor, kind: "slack", redis: redis}, 0)
		if err != nil {
			return nil, err
		}
		floor = append(floor, took)
		took, rss, err := s.cold(ctx, setting{program: s.askbridge, kind: "slack", redis: redis}, 20*time.Millisecond)
		if err != nil {
			return nil, err
		}
		product, idle = append(product, took), append(idle, float64(rss)/mib)
	}
	rss, _ := median(idle)
	return []Figure{
		atMost("binary_MiB", "stripped binary", float64(info.Size())/mib, "MiB", 20, ""),
		atMost("cold_ms", "start to the first 200 of /readyz, p50", ms(product.at(0.5)), "ms", 20,
			"floor %.1f ms; quickest %.1f, p90 %.1f ms; store: Redis", ms(floor.at(0.5)), ms(product.at(0)), ms(product.at(0.9))),
		atMost("idle_MiB", "memory (RSS) with nothing to do", rss, "MiB", 20, "just started, store: Redis"),
	}, nil
}

// cold is how long a start takes until the program is ready, and its memory a
// moment later.
func (s *Suite) cold(ctx context.Context, o setting, after time.Duration) (took time.Duration, rss int64, err error) {
	// Everything around the program stands before the clock runs: the world is
	// started once and the program then again.
	w, err := s.world(ctx, o)
	if err != nil {
		return 0, 0, err
	}
	defer w.close()
	w.kill()
	began := time.Now()
	again, err := start(ctx, nil, o.program, w.args...)
	if err != nil {
		return 0, 0, err
	}
	defer again.kill()
	addr, err := again.listening(ctx)
	if err != nil {
		return 0, 0, err
	}
	err = until(ctx, 10*time.Second, "the program to be ready", func() bool {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", http.NoBody)
		if err != nil {
			return false
		}
		resp, err := w.agent.Do(req)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	took = time.Since(began)
	if err != nil {
		return 0, 0, err
	}
	if err := rest(ctx, after); err != nil {
		return 0, 0, err
	}
	rss, err = again.rss()
	return took, rss, err
}
