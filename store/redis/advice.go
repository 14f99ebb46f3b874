package redis

import (
	"context"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/store/internal/codec"
)

// Advice looks at how each master is set up and returns what could cost
// answers, in words for an operator; none when all is well. It needs the right
// to run INFO.
func (r *Store) Advice(ctx context.Context) ([]string, error) {
	var (
		mu     sync.Mutex
		advice []string
	)
	look := func(ctx context.Context, client goredis.Cmdable) error {
		info := map[string]string{}
		for _, section := range []string{"memory", "persistence"} {
			text, err := client.Info(ctx, section).Result()
			if err != nil {
				return r.unavailable(err)
			}
			for line := range strings.Lines(text) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
				info[name] = value
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if policy := info["maxmemory_policy"]; policy != "" && policy != "noeviction" {
			advice = append(advice, "maxmemory-policy is "+policy+": when memory runs short Redis may drop requests that people are about to answer; set it to noeviction")
		}
		if info["aof_enabled"] == "0" {
			advice = append(advice, "appendonly is off: a restart of Redis loses what was answered since its last snapshot; set it to yes")
		}
		return nil
	}
	var err error
	if cluster, ok := r.client.(*goredis.ClusterClient); ok {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, master *goredis.Client) error { return look(ctx, master) })
	} else {
		err = look(ctx, r.client)
	}
	return advice, codec.Error("look at redis", "", err)
}
