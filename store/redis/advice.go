package redis

import (
	"context"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/store/internal/codec"
)

// Advice checks the settings of each master and returns warnings for the operator about settings that
// could lose answers. It needs permission to run INFO.
func (r *Store) Advice(ctx context.Context) ([]string, error) {
	var (
		mu     sync.Mutex
		advice []string
	)
	check := func(ctx context.Context, client goredis.Cmdable) error {
		info := map[string]string{}
		for _, section := range []string{"memory", "persistence"} {
			text, err := client.Info(ctx, section).Result()
			if err != nil {
				return r.conn.classify(err)
			}
			for line := range strings.Lines(text) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
				info[name] = value
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if policy := info["maxmemory_policy"]; policy != "" && policy != "noeviction" {
			advice = append(advice, "maxmemory-policy is "+policy+": when memory runs out Redis may evict open requests; set it to noeviction")
		}
		if info["aof_enabled"] == "0" {
			advice = append(advice, "appendonly is off: a restart of Redis loses the answers since its last snapshot; set it to yes")
		}
		return nil
	}
	var err error
	if cluster, ok := r.conn.client.(*goredis.ClusterClient); ok {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, master *goredis.Client) error { return check(ctx, master) })
	} else {
		err = check(ctx, r.conn.client)
	}
	return advice, codec.Error("check redis settings", "", err)
}
