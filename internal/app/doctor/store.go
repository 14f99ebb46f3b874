package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/redisconfig"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/store/seal"
)

// roomAdvice is what to do if a disk is full.
const roomAdvice = "Free disk space: until then requests fail and answers are not recorded."

// storeTime limits each check of a store.
const storeTime = 8 * time.Second

// examineStore checks whether requests can be stored. It reports whether the store is idle: a file that
// no process has open, so no askbridge runs with it.
func examineStore(ctx context.Context, r *Report, cfg config.Store, read func(context.Context) (*seal.Keys, error)) (idle bool) {
	var keys *seal.Keys
	if read != nil {
		var err error
		if keys, err = read(ctx); err != nil {
			r.Add("store/encryption", Broken, "Correct encryption in the configuration.", "%v", err)
			return false
		}
	}
	switch cfg.Type {
	case config.StoreMemory:
		r.Add("store/memory", Warn, "Set store.type to file or redis.", "requests are lost on a restart")
	case config.StoreFile:
		return examineFile(ctx, r, cfg, keys)
	case config.StoreRedis:
		examineRedis(ctx, r, cfg, keys)
	}
	return false
}

func examineFile(ctx context.Context, r *Report, cfg config.Store, keys *seal.Keys) (idle bool) {
	const id = "store/file"
	info, err := os.Stat(cfg.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		examineFolder(r, id, cfg.Path)
		return true
	case err != nil:
		r.Add(id, Broken, "Set a file that this user may access.", "cannot access %s: %v", cfg.Path, bare(err))
		return false
	case !info.Mode().IsRegular():
		r.Add(id, Broken, "Set a file.", "%s is not a file", cfg.Path)
		return false
	case info.Mode().Perm()&0o077 != 0:
		r.Add(id, Warn, "chmod 600 "+cfg.Path, "other users of this machine can read %s, with all questions and answers", cfg.Path)
	}
	probe, err := os.OpenFile(cfg.Path, os.O_RDWR, 0)
	if err != nil {
		r.Add(id, Broken, "Let the user that runs askbridge write the file.", "cannot write %s: %v", cfg.Path, bare(err))
		return false
	}
	_ = probe.Close() // Nothing was written.
	s, err := file.Open(cfg.Path, &file.Options{Retention: time.Duration(cfg.Retention), Keys: keys})
	switch {
	case err != nil && strings.Contains(err.Error(), "another process"):
		r.Add(id, Note, "", "%s is in use, as expected while askbridge runs", cfg.Path)
		if err := file.Room(cfg.Path); err != nil {
			r.Add(id, Broken, roomAdvice, "%v", err)
		}
	case kindOf(err) == bridge.StoreDiskFull:
		r.Add(id, Broken, roomAdvice, "%v", err)
	case err != nil:
		r.Add(id, Broken, "Restore the file from a backup, or move it away to start empty.", "%v", err)
	default:
		if err := s.CheckHealth(ctx); err != nil {
			r.Add(id, Broken, roomAdvice, "%v", err)
		} else {
			r.OK(id, "%s can be read and written", cfg.Path)
		}
		examineKeys(ctx, r, s, keys)
		examineTokens(ctx, r, s.KeyValue())
		_ = s.Close() // Nothing was written.
		return true
	}
	return false
}

// examineKeys checks whether all stored data can be decrypted.
func examineKeys(ctx context.Context, r *Report, s store.Both, keys *seal.Keys) {
	const id = "store/encryption"
	ring := keys.Ring()
	switch err := store.CheckKeys(ctx, s, ring); {
	case err != nil:
		r.Add(id, Broken, "Set all keys in use; see docs/operations/encryption.md.", "%v", err)
	case ring == nil:
	case ring.First() == seal.Plain:
		r.Add(id, Note, "Move a key to the first line once every replica has it.", "keys are set, but the first line is plain: nothing is encrypted yet")
	case ring.Has(seal.Plain):
		r.Add(id, Note, "Run askbridge store reseal, then remove the line plain.", "encrypted with key %s, and unencrypted data is accepted, too", ring.First())
	default:
		r.OK(id, "encrypted with key %s", ring.First())
	}
}

// examineFolder checks whether a file that does not exist could be created.
func examineFolder(r *Report, id, path string) {
	folder := filepath.Dir(path)
	probe, err := os.CreateTemp(folder, ".askbridge-doctor-*")
	if errors.Is(err, os.ErrNotExist) && isFolder(filepath.Dir(folder)) {
		r.Add(id, Warn, "Create it, unless the service manager does when askbridge starts (StateDirectory of the unit).", "the folder %s does not exist yet", folder)
		return
	}
	if err != nil {
		r.Add(id, Broken, "Create the folder, writable for the user that runs askbridge.", "cannot create a file in %s: %v", folder, bare(err))
		return
	}
	_ = probe.Close() // It is empty.
	if err := os.Remove(probe.Name()); err != nil {
		r.Add(id, Warn, "Remove it by hand.", "cannot remove %s: %v", probe.Name(), bare(err))
		return
	}
	r.OK(id, "%s does not exist yet and can be created", path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// bare returns why a file operation failed, without the name.
func bare(err error) error {
	if detail, ok := errors.AsType[*os.PathError](err); ok {
		return detail.Err
	}
	return err
}

func examineRedis(ctx context.Context, r *Report, cfg config.Store, keys *seal.Keys) {
	ctx, cancel := context.WithTimeoutCause(ctx, storeTime, errors.New("redis: timeout"))
	defer cancel()
	o, err := redisconfig.Options(cfg)
	if err != nil {
		r.Add("store/redis", Broken, "Correct store.redis in the configuration.", "%v", err)
		return
	}
	if in := o.Unencrypted(); len(in) > 0 {
		r.Add("store/redis-encryption", Warn, "Use a rediss:// address, or store.redis.tls: true.",
			"questions, answers and the password are sent unencrypted to %s", strings.Join(in, ", "))
	}
	o.Keys = keys
	s, err := redis.Open(ctx, o)
	if err != nil {
		r.Add("store/redis", Broken, mendRedis(err), "%v", err)
		return
	}
	defer func() { _ = s.Close() }() // Nothing was written.
	r.OK("store/redis", "reachable, with the expected key layout")
	examineKeys(ctx, r, s, keys)
	examineTokens(ctx, r, s.KeyValue())
	advice, err := s.Advice(ctx)
	for _, text := range advice {
		r.Add("store/redis-settings", Warn, "Set it with CONFIG SET and in redis.conf.", "%s", text)
	}
	switch {
	case err != nil:
		r.Add("store/redis-settings", Note, "Let askbridge's user run INFO, or check maxmemory-policy and appendonly yourself.",
			"not visible: %v", err)
	case len(advice) == 0:
		r.OK("store/redis-settings", "nothing is evicted, and the append-only file is on")
	}
	began := time.Now()
	batch, err := s.Due(ctx, 1)
	if err != nil {
		r.Add("store/redis", Broken, mendRedis(err), "%v", err)
		return
	}
	skew := time.Duration(0)
	if batch.Now.Before(began) {
		skew = batch.Now.Sub(began)
	} else if now := time.Now(); batch.Now.After(now) {
		skew = batch.Now.Sub(now)
	}
	r.skew("store/clock", "Redis", skew, false)
}

// mendRedis returns what to do about a Redis error.
func mendRedis(err error) string {
	switch kindOf(err) {
	case bridge.StoreDenied:
		return "Grant the user the permissions of docs/reliability.md on every server, and check the password."
	case bridge.StoreOutOfMemory:
		return "Raise maxmemory, or remove other data."
	case bridge.StoreDiskFull:
		return "Free disk space on the Redis server, and check its log."
	case bridge.StoreReadOnly:
		return "Set the master, or use Sentinels; check that it has its replicas."
	default:
		return "Check its address, and whether it is reachable from here."
	}
}

// kindOf returns the kind of a store error; empty for others.
func kindOf(err error) bridge.StoreKind {
	if failed, ok := errors.AsType[*bridge.StoreError](err); ok {
		return failed.Kind
	}
	return ""
}
