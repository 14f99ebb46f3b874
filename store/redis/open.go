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

// MaxPartitions is the maximum number of partitions.
const MaxPartitions = 16

// Options are the settings of a connection to Redis.
type Options struct {
	// Addrs are host:port or, for a single server, the path of a Unix socket.
	// One address is a single server. With Master they are Sentinels;
	// several without it, or any with Cluster, are nodes of a Cluster.
	Addrs   []string
	Master  string
	Cluster bool

	Username, Password                 string
	SentinelUsername, SentinelPassword string
	// DB is the number of the database; a Cluster has only 0.
	DB int
	// TLS enables encryption; nil is plain text.
	TLS *tls.Config

	Layout
}

// Layout contains the settings of a store. Prefix and Partitions must be the same for all bridges on one
// Redis. Zero values mean the defaults.
type Layout struct {
	// Prefix is the prefix of every key and channel; the default is "ab".
	Prefix string
	// Secret is a secret of all bridges on this Redis that is not stored in Redis. It keeps
	// someone who can read Redis and publish from forging notifications. Bridges with different
	// secrets read records more often.
	Secret []byte
	// Keys encrypt stored data and notifications; nil disables encryption. Package seal
	// documents what remains readable.
	Keys *seal.Keys
	// Partitions is the number of slots of a Cluster that the keys are distributed over, at most
	// [MaxPartitions]. The default is that in a Cluster and 1 elsewhere, where more would only
	// cost commands. It can only change while Redis is empty.
	Partitions int
	// Retention is how long ended records are kept; zero means
	// [store.DefaultRetention].
	Retention time.Duration
	// Recent is the number of records that this process caches so that it can change them in one
	// round trip; the default is 4096.
	Recent int
	// Replicas is the number of replicas that must acknowledge a write within ReplicaWait, in the
	// same round trip. The default of ReplicaWait is half a second, the maximum one and a half.
	// If too few acknowledge, the record is stored anyway and the error matches
	// [storage.ErrNotReplicated].
	Replicas    int
	ReplicaWait time.Duration
	// Logger logs problems of Redis that the store can tolerate, such as refused notifications;
	// nil discards them.
	Logger *slog.Logger
}

// ParseURL parses the address of a single server: redis://user:password@host:port/db, rediss:// for TLS,
// or unix://user:password@/path?db=0. Its errors do not contain the URL, which may include a password.
func ParseURL(address string) (Options, error) {
	u, err := url.Parse(address)
	if err != nil {
		return Options{}, errors.New("store: invalid Redis URL")
	}
	for name := range u.Query() {
		if name != "db" {
			return Options{}, fmt.Errorf("store: unknown parameter %q in the Redis URL", name)
		}
	}
	o, err := goredis.ParseURL(address)
	if err != nil {
		return Options{}, errors.New("store: the Redis URL must look like redis://user:password@host:port/db")
	}
	return Options{Addrs: []string{o.Addr}, Username: o.Username, Password: o.Password, DB: o.DB, TLS: o.TLSConfig}, nil
}

// The timeouts if the caller's context allows more.
const (
	dialTimeout = 500 * time.Millisecond
	callTimeout = 2 * time.Second
	// topologyEvery limits how long a Cluster client keeps dialing a master that has failed
	// over; the library's default is a minute.
	topologyEvery = time.Second
)

// Unencrypted returns the addresses of other machines to which questions, answers and the password would
// be sent unencrypted.
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

// Open connects to Redis and checks its layout. The store closes the connections.
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
		// Otherwise a frozen server blocks callers beyond their deadlines.
		ContextTimeoutEnabled: true,
		DialTimeout:           dialTimeout,
		DialerRetries:         1,
		ReadTimeout:           callTimeout,
		WriteTimeout:          callTimeout,
		MaxRetries:            2,
		// Use all connections in turn, so that none is closed as idle: if Redis is far away, a click
		// leaves no time to connect.
		PoolFIFO: true,
		// Pipelines are rare and need no separate connections.
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

// nameConnection names a connection for CLIENT LIST. It ignores servers without the command and users
// without permission.
func nameConnection(ctx context.Context, conn *goredis.Conn) error {
	err := conn.ClientSetName(ctx, "askbridge").Err()
	if _, refused := errors.AsType[goredis.Error](err); refused {
		return nil
	}
	return err
}

// warmConns is the number of connections that a store opens at the start: one for each round trip that may run at the
// same time. If Redis is far away, a click leaves no time to connect.
const warmConns = 8

// warm opens connections by asking for the server's time on each of them at once. It holds them until all have answered,
// since otherwise a fast server would answer all requests over the same few. A Cluster opens its connections on demand.
func warm(ctx context.Context, c *conn) error {
	if client, single := c.client.(*goredis.Client); single {
		var held [warmConns]*goredis.Conn
		results := make(chan error, warmConns)
		for n := range held {
			held[n] = client.Conn()
			go func() { results <- held[n].Time(ctx).Err() }()
		}
		var errs []error
		for range held {
			errs = append(errs, <-results)
		}
		for _, h := range held {
			errs = append(errs, h.Close())
		}
		if err := cmp.Or(errs...); err != nil {
			return c.classify(err)
		}
	}
	_, err := c.askTime(ctx)
	return err
}

// schema is the version of the keys and scripts.
const schema = "1"

// prepare checks the permissions of the user and the layout, reads the server's clock and learns the key
// of notifications.
func (r *Store) prepare(ctx context.Context) error {
	p := permissionCheck{conn: r.conn, keys: r.keys, user: r.user}
	err := p.all(ctx)
	if err == nil {
		err = warm(ctx, r.conn)
	}
	if err == nil {
		err = r.notifier.learnKey(ctx)
	}
	if err == nil {
		err = checkLayout(ctx, r.conn, r.keys)
	}
	return codec.Error("open redis", "", err)
}

// checkLayout checks that all bridges with the same keys have the same layout, and that the server is new
// enough.
func checkLayout(ctx context.Context, c *conn, k keys) error {
	for field, ours := range map[string]string{"schema": schema, "partitions": strconv.Itoa(len(k.partitions))} {
		var theirs *goredis.StringCmd
		err := c.pipelined(ctx, func(pipe goredis.Pipeliner) {
			pipe.HSetNX(ctx, k.meta(), field, ours)
			theirs = pipe.HGet(ctx, k.meta(), field)
		})
		if err != nil {
			return err
		}
		if theirs.Val() != ours {
			return fmt.Errorf("%s has %s %s and this askbridge has %s", k.meta(), field, theirs.Val(), ours)
		}
	}
	// The key has another type, so a server that supports NX together with GET, as creating a request
	// requires, rejects the command: https://redis.io/docs/latest/commands/set/
	err := c.client.Do(ctx, "SET", k.meta(), "", "NX", "GET").Err()
	if goredis.HasErrorPrefix(err, "syntax error") {
		return fmt.Errorf("this server is older than Redis 7.0 and does not support SET with NX and GET: %w", err)
	}
	return nil
}
