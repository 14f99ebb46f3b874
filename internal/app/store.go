package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/redisconfig"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/keyvalue"
	memorystore "github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/store/seal"
)

const (
	// fileWait is how long to wait for the previous process to release the file after a restart.
	fileWait = 5 * time.Second
	// redisWait limits the first check of Redis.
	redisWait = 10 * time.Second
)

// LogLibraries redirects the libraries' messages to the log. Some have one log per process, so a
// program calls it once, before anything else.
func LogLibraries(log *slog.Logger) { redis.Log(log) }

// Store stores requests and key-value data.
type Store interface {
	bridge.Store
	KeyValue() keyvalue.Store
}

// OpenStore opens the configured store, as [App.Run] does.
func OpenStore(ctx context.Context, cfg *config.Config, log *slog.Logger) (Store, error) {
	return openStore(ctx, cfg, nil, log)
}

// openStore is OpenStore for a bridge, with a secret that all its replicas know.
func openStore(ctx context.Context, cfg *config.Config, secret []byte, log *slog.Logger) (Store, error) {
	ring, err := Keys(ctx, cfg.Encryption)
	if err != nil {
		return nil, err
	}
	s, err := openWith(ctx, cfg.Store, KeysOf(ring), secret, log)
	if err != nil {
		return nil, err
	}
	if err := store.UseKeys(ctx, s, ring); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func openWith(ctx context.Context, c config.Store, keys *seal.Keys, secret []byte, log *slog.Logger) (Store, error) {
	switch c.Type {
	case config.StoreMemory:
		return memorystore.New(), nil
	case config.StoreFile:
		f, err := file.Open(c.Path, &file.Options{Retention: time.Duration(c.Retention), Wait: fileWait, Keys: keys})
		if err != nil {
			return nil, err
		}
		if readable(c.Path) {
			log.Warn("other users of this machine can read the store", "path", c.Path, "advice", "chmod 600 "+c.Path)
		}
		return f, nil
	}
	o, err := redisconfig.Options(c)
	if err != nil {
		return nil, err
	}
	o.Secret, o.Keys, o.Logger = secret, keys, log
	if in := o.Unencrypted(); len(in) > 0 {
		log.Warn("questions, answers and the password are sent unencrypted to redis", "addrs", in,
			"advice", "use a rediss:// address, or store.redis.tls: true")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, redisWait, errors.New("redis: timeout"))
	defer cancel()
	r, err := redis.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	advise(ctx, r, log)
	return r, nil
}

// readable reports whether the file is open to other users of this machine.
func readable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// storeName identifies the store among those of other bridges with the same app. All replicas compute
// the same name, also for an emptied store.
func storeName(c config.Store) string {
	if c.Type == config.StoreRedis {
		if o, err := redisconfig.Options(c); err == nil {
			return fmt.Sprintf("redis %s %s %d %s", strings.Join(slices.Sorted(slices.Values(o.Addrs)), ","), o.Master, o.DB, o.Prefix)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	path, err := filepath.Abs(c.Path)
	if err != nil {
		path = c.Path
	}
	return fmt.Sprintf("%s %s %s", c.Type, host, path)
}

// advise logs recommended Redis settings.
func advise(ctx context.Context, r *redis.Store, log *slog.Logger) {
	advice, err := r.Advice(ctx)
	if err != nil {
		log.Info("redis settings not visible", "error", err)
	}
	for _, text := range advice {
		log.Warn("redis may lose answers", "advice", text)
	}
}

// describe returns the store for the log, without secrets.
func describe(c config.Store) string {
	switch {
	case c.Type == config.StoreFile:
		return "file " + c.Path
	case c.Type == config.StoreRedis && c.Redis.Master != "":
		return "redis sentinel"
	case c.Type == config.StoreRedis && (c.Redis.Cluster || len(c.Redis.Addrs) > 1):
		return "redis cluster"
	}
	return c.Type
}

// backupOf returns the function that copies a store while it is in use, one copy at a time; nil unless the store is a file
// and the configuration names one for the copy.
func backupOf(s bridge.Store, to string, log *slog.Logger) func(ctx context.Context, by string) (*client.Backup, error) {
	f, isFile := s.(*file.Store)
	if !isFile || to == "" {
		return nil
	}
	var copying sync.Mutex
	return func(ctx context.Context, by string) (*client.Backup, error) {
		copying.Lock()
		defer copying.Unlock()
		path, err := filepath.Abs(to)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		size, err := f.Copy(ctx, path)
		if err != nil {
			log.Error("store not copied", "by", by, "error", err)
			return nil, err
		}
		log.Info("store copied", "by", by, "file", path, "bytes", size, "took", time.Since(start).Round(time.Millisecond))
		return &client.Backup{File: path, Size: size}, nil
	}
}
