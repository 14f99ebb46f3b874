package redis

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/seal"
)

// MaxPartitions is how many partitions an id can name.
const MaxPartitions = 16

// Options say where Redis is and how the bridge uses it.
type Options struct {
	// Addrs are host:port or, for a single server, the path of a Unix socket.
	// One address is a single server. With Master they are Sentinels, and
	// several without it, or any with Cluster, are nodes of a Cluster.
	Addrs   []string
	Master  string
	Cluster bool

	Username, Password                 string
	SentinelUsername, SentinelPassword string
	// DB is the number of the database; a Cluster has only 0.
	DB int
	// TLS switches encryption on. Nil is plain text.
	TLS *tls.Config

	Layout
}

// Layout is what all bridges on one Redis must agree on, and what each may
// choose. Zero values mean the defaults.
type Layout struct {
	// Prefix begins every key and channel; the default is "ab".
	Prefix string
	// Secret is a secret of all bridges on this Redis that Redis itself does not
	// know. With it, somebody who can read what is stored there, and publish, still
	// cannot forge a notification that is believed. Bridges that disagree about it
	// read a record more often, and nothing else.
	Secret []byte
	// Keys encrypt what is kept and published; nil means in clear. See store/seal for what
	// can still be read.
	Keys *seal.Keys
	// Partitions is how many slots of a Cluster the keys are spread over, at most
	// [MaxPartitions]. The default is that in a Cluster and 1 elsewhere, where
	// more would only cost commands. It can only change when Redis is empty.
	Partitions int
	// Retention is how long ended records are kept; zero means
	// [store.DefaultRetention].
	Retention time.Duration
	// Recent is how many records this process remembers so that it can change
	// them in one round trip; the default is 4096.
	Recent int
	// Replicas is how many replicas must acknowledge a write, in the same round
	// trip, within ReplicaWait: half a second unless set, at most one and a half.
	// When too few do, the record is stored all the same, and the error matches
	// [storage.ErrNotReplicated].
	Replicas    int
	ReplicaWait time.Duration
	// Logger gets what operators should know of Redis while the store goes on without it,
	// such as refused notifications; nil discards it.
	Logger *slog.Logger
}

// ParseURL reads the address of a single server in the common form
// redis://user:password@host:port/db, rediss:// for TLS, or
// unix://user:password@/path?db=0. Its errors never show the URL, which may
// hold a password.
func ParseURL(address string) (Options, error) {
	u, err := url.Parse(address)
	if err != nil {
		return Options{}, errors.New("store: the Redis URL cannot be read")
	}
	for name := range u.Query() {
		if name != "db" {
			return Options{}, fmt.Errorf("store: the Redis URL has an unknown parameter %q", name)
		}
	}
	o, err := goredis.ParseURL(address)
	if err != nil {
		return Options{}, errors.New("store: the Redis URL must look like redis://user:password@host:port/db")
	}
	return Options{Addrs: []string{o.Addr}, Username: o.Username, Password: o.Password, DB: o.DB, TLS: o.TLSConfig}, nil
}

// How long we wait for Redis when the caller's context allows more.
const (
	dialTimeout = 500 * time.Millisecond
	callTimeout = 2 * time.Second
	// topologyEvery bounds how long a Cluster client keeps dialling a master
	// that has failed over; the library's own minute is far too long.
	topologyEvery = time.Second
)

// Unencrypted returns the addresses of other machines to which questions, answers
// and the password would travel in clear.
func (o Options) Unencrypted() []string {
	var exposed []string
	for _, addr := range o.Addrs {
		here := strings.HasPrefix(addr, "/") || strings.HasPrefix(addr, ":") || loopback.Is(addr)
		if o.TLS == nil && !here {
			exposed = append(exposed, addr)
		}
	}
	return exposed
}

// Open connects to Redis and checks that its layout is ours. The store
// closes the connections it made.
func Open(ctx context.Context, o Options) (*Store, error) {
	client := connect(o)
	r, err := New(client, &o.Layout)
	if err == nil {
		err = r.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	r.owned = client
	return r, nil
}

func connect(o Options) goredis.UniversalClient {
	u := &goredis.UniversalOptions{
		Addrs: o.Addrs, MasterName: o.Master, DB: o.DB, TLSConfig: o.TLS,
		Username: o.Username, Password: o.Password,
		SentinelUsername: o.SentinelUsername, SentinelPassword: o.SentinelPassword,
		OnConnect: nameConnection, DisableIdentity: true, Protocol: 2,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		// Without it a frozen server blocks a caller far beyond its deadline.
		ContextTimeoutEnabled: true,
		DialTimeout:           dialTimeout,
		DialerRetries:         1,
		ReadTimeout:           callTimeout,
		WriteTimeout:          callTimeout,
		MaxRetries:            2,
		// Connections take turns, so that none is closed for being idle: with Redis far away a
		// press has no time to connect.
		PoolFIFO: true,
		// Pipelines are rare here and need no connections of their own.
		PipelinePoolSize: -1,
	}
	switch {
	case o.Master != "":
		return goredis.NewFailoverClient(u.Failover())
	case o.Cluster || len(o.Addrs) > 1:
		c := u.Cluster()
		c.ClusterStateReloadInterval = topologyEvery
		return goredis.NewClusterClient(c)
	}
	return goredis.NewClient(u.Simple())
}

// nameConnection names a connection for CLIENT LIST. A server without the command, or a user
// without the right to it, is as good.
func nameConnection(ctx context.Context, conn *goredis.Conn) error {
	err := conn.ClientSetName(ctx, "askbridge").Err()
	if _, refused := errors.AsType[goredis.Error](err); refused {
		return nil
	}
	return err
}

// warmed is how many connections a store opens at the start: for two round trips of one caller
// each and one that all others share, and one more.
const warmed = 4

// warm opens connections by asking for the server's time on each at once.
func (r *Store) warm(ctx context.Context) error {
	asked := make(chan error, warmed)
	for range warmed {
		go func() {
			_, err := r.askTime(ctx)
			asked <- err
		}()
	}
	var errs []error
	for range warmed {
		errs = append(errs, <-asked)
	}
	return cmp.Or(errs...)
}

// schema is the layout of keys and scripts.
const schema = "1"

// prepare checks the permissions of the user, learns the server's clock, and makes sure that
// the bridges which use the same keys use them alike.
func (r *Store) prepare(ctx context.Context) error {
	return codec.Error("open redis", "", r.prepared(ctx))
}

func (r *Store) prepared(ctx context.Context) error {
	if err := r.checkPermissions(ctx); err != nil {
		return err
	}
	if err := r.warm(ctx); err != nil {
		return err
	}
	if err := r.learnSecret(ctx); err != nil {
		return err
	}
	for field, ours := range map[string]string{"schema": schema, "partitions": strconv.Itoa(len(r.keys.partitions))} {
		var theirs *goredis.StringCmd
		err := r.pipelined(ctx, r.client, func(pipe goredis.Pipeliner) {
			pipe.HSetNX(ctx, r.keys.meta(), field, ours)
			theirs = pipe.HGet(ctx, r.keys.meta(), field)
		})
		if err != nil {
			return err
		}
		if theirs.Val() != ours {
			return fmt.Errorf("%s has %s %s and this askbridge has %s", r.keys.meta(), field, theirs.Val(), ours)
		}
	}
	// There is something else under that key, so a server that knows both options together, as
	// requests are made with them, refuses to replace it: https://redis.io/docs/latest/commands/set/
	err := r.client.Do(ctx, "SET", r.keys.meta(), "", "NX", "GET").Err()
	if goredis.HasErrorPrefix(err, "syntax error") {
		return fmt.Errorf("this server is older than Redis 7.0, the oldest that works: it does not know SET with NX and GET: %w", err)
	}
	return nil
}
