package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/store/seal"
)

// roomAdvice is what to do when a disk takes no writes.
const roomAdvice = "Make room on the disk: until then nothing is asked, and answers are not recorded."

// storeTime bounds each look at a store.
const storeTime = 8 * time.Second

// examineStore looks whether requests can be remembered. It reports whether the store is
// idle: a file that nobody has open, so that no askbridge runs with it.
func examineStore(ctx context.Context, r *Report, cfg config.Store, read func(context.Context) (*seal.Keys, error)) (idle bool) {
	var keys *seal.Keys
	if read != nil {
		var err error
		if keys, err = read(ctx); err != nil {
			r.Add("store/encryption", Broken, "Mend encryption in the configuration.", "%v", err)
			return false
		}
	}
	switch cfg.Type {
	case config.StoreMemory:
		r.Add("store/memory", Warn, "Set store.type to file or redis.", "questions and answers are gone after a restart")
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
		r.Add(id, Broken, "Name a file that this user may use.", "cannot look at %s: %v", cfg.Path, bare(err))
		return false
	case !info.Mode().IsRegular():
		r.Add(id, Broken, "Name a file.", "%s is not a file", cfg.Path)
		return false
	case info.Mode().Perm()&0o077 != 0:
		r.Add(id, Warn, "chmod 600 "+cfg.Path, "others on this machine can read %s, with all questions and answers", cfg.Path)
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
		r.Add(id, Note, "", "%s is in use; that is as it should be while askbridge runs", cfg.Path)
		if err := file.Room(cfg.Path); err != nil {
			r.Add(id, Broken, roomAdvice, "%v", err)
		}
	case kindOf(err) == bridge.StoreDiskFull:
		r.Add(id, Broken, roomAdvice, "%v", err)
	case err != nil:
		r.Add(id, Broken, "Put back a copy of the file, or move it away to begin with an empty one.", "%v", err)
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

// examineKeys looks whether everything that is kept can be opened.
func examineKeys(ctx context.Context, r *Report, s store.Both, keys *seal.Keys) {
	const id = "store/encryption"
	ring := keys.Ring()
	switch err := store.CheckKeys(ctx, s, ring); {
	case err != nil:
		r.Add(id, Broken, "Give all keys that are in use, as docs/operations/encryption.md says.", "%v", err)
	case ring == nil:
	case ring.First() == seal.Plain:
		r.Add(id, Note, "Put a key first when every askbridge has it.", "keys are given, and the line plain is the first: nothing is encrypted yet")
	case ring.Has(seal.Plain):
		r.Add(id, Note, "Run askbridge store reseal, then take the line plain away.", "it is sealed with key %s, and what stands in clear is read too", ring.First())
	default:
		r.OK(id, "it is sealed with key %s", ring.First())
	}
}

// examineFolder looks whether a file that does not exist could be made.
func examineFolder(r *Report, id, path string) {
	folder := filepath.Dir(path)
	probe, err := os.CreateTemp(folder, ".askbridge-doctor-*")
	if errors.Is(err, os.ErrNotExist) && isFolder(filepath.Dir(folder)) {
		r.Add(id, Warn, "Make it, unless the service manager does when it starts askbridge (StateDirectory of the unit).", "the folder %s is not there yet", folder)
		return
	}
	if err != nil {
		r.Add(id, Broken, "Make the folder, and let the user that runs askbridge write there.", "cannot make a file in %s: %v", folder, bare(err))
		return
	}
	_ = probe.Close() // It is empty,
	if err := os.Remove(probe.Name()); err != nil {
		r.Add(id, Warn, "Remove it by hand.", "cannot remove %s: %v", probe.Name(), bare(err))
		return
	}
	r.OK(id, "%s does not exist yet and can be made", path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// bare is why a file operation failed, without the name.
func bare(err error) error {
	if detail, ok := errors.AsType[*os.PathError](err); ok {
		return detail.Err
	}
	return err
}

func examineRedis(ctx context.Context, r *Report, cfg config.Store, keys *seal.Keys) {
	ctx, cancel := context.WithTimeoutCause(ctx, storeTime, errors.New("redis did not answer in time"))
	defer cancel()
	o, err := redisOptions(cfg)
	if err != nil {
		r.Add("store/redis", Broken, "Mend store.redis in the configuration.", "%v", err)
		return
	}
	if in := o.Unencrypted(); len(in) > 0 {
		r.Add("store/redis-encryption", Warn, "Use a rediss:// address, or store.redis.tls: true.",
			"questions, answers and the password travel to %s without encryption", strings.Join(in, ", "))
	}
	o.Keys = keys
	s, err := redis.Open(ctx, o)
	if err != nil {
		r.Add("store/redis", Broken, mendRedis(err), "%v", err)
		return
	}
	defer func() { _ = s.Close() }() // Nothing was written.
	r.OK("store/redis", "it answers, and its keys are laid out as ours")
	examineKeys(ctx, r, s, keys)
	examineTokens(ctx, r, s.KeyValue())
	advice, err := s.Advice(ctx)
	for _, text := range advice {
		r.Add("store/redis-settings", Warn, "CONFIG SET it, and write it into redis.conf so that a restart keeps it.", "%s", text)
	}
	switch {
	case err != nil:
		r.Add("store/redis-settings", Note, "Let askbridge's user run INFO, or look at maxmemory-policy and appendonly yourself.",
			"they cannot be seen: %v", err)
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

// mendRedis says what to do about an error of Redis.
func mendRedis(err error) string {
	switch kindOf(err) {
	case bridge.StoreDenied:
		return "Give the user the permissions of docs/reliability.md, on every server, and check the password."
	case bridge.StoreOutOfMemory:
		return "Raise maxmemory, or remove what else is kept there."
	case bridge.StoreDiskFull:
		return "Make room on the disk of Redis, and look at its log."
	case bridge.StoreReadOnly:
		return "Name the master, or use Sentinels; make sure that it has its replicas."
	default:
		return "Look at its address, and whether it can be reached from here."
	}
}

// kindOf is the kind of a store error; empty for others.
func kindOf(err error) bridge.StoreKind {
	if failed, ok := errors.AsType[*bridge.StoreError](err); ok {
		return failed.Kind
	}
	return ""
}

// redisOptions reads the settings as the program does.
func redisOptions(cfg config.Store) (redis.Options, error) {
	c := cfg.Redis
	o := redis.Options{
		Addrs: c.Addrs, Master: c.Master, Cluster: c.Cluster, DB: c.DB,
		Username: c.Username, Password: c.Password.Reveal(),
		SentinelUsername: c.SentinelUsername, SentinelPassword: c.SentinelPassword.Reveal(),
	}
	if c.URL.Set() {
		var err error
		if o, err = redis.ParseURL(c.URL.Reveal()); err != nil {
			return o, err
		}
	}
	if o.TLS == nil && c.TLS {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if c.TLSCA != "" && o.TLS != nil {
		pem, err := os.ReadFile(c.TLSCA)
		if err != nil {
			return o, fmt.Errorf("store.redis.tls_ca: %s: %w", c.TLSCA, bare(err))
		}
		o.TLS.RootCAs = x509.NewCertPool()
		if !o.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return o, fmt.Errorf("store.redis.tls_ca: %s holds no certificate", c.TLSCA)
		}
	}
	o.Prefix = c.Prefix
	return o, nil
}
