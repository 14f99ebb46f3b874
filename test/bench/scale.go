package bench

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// masters are the nodes of the Cluster that many replicas share.
const masters = 3

// Scale measures what a request costs with more and more replicas on one Cluster. Each
// request is asked on one replica, where its agent waits, and clicked on the next.
func (s *Suite) Scale(ctx context.Context) ([]Figure, error) {
	nodes, err := startCluster(ctx)
	defer func() {
		for _, node := range nodes {
			node.close()
		}
	}()
	if err != nil {
		return nil, err
	}
	var all []Figure
	var alone spending
	for _, n := range s.size.Replicas {
		each, err := s.shared(ctx, nodes, n)
		if err != nil {
			return nil, err
		}
		if alone.commands == 0 {
			alone = each
		}
		with := fmt.Sprintf(", replicas: %d", n)
		key := func(what string) string { return fmt.Sprintf("scale_%s_%d", what, n) }
		all = append(all,
			Figure{Key: key("commands"), Name: "Redis commands per request" + with, Value: each.commands, Detail: each.listed},
			Figure{Key: key("bytes"), Name: "bytes that Redis sends per request" + with, Value: each.bytes, Unit: "B", Detail: fmt.Sprintf("of them to tell the other replicas: those beyond %.0f", alone.bytes)},
			Figure{Key: key("cpu"), Name: "processor time per request" + with, Value: each.replicas, Unit: "ms", Detail: fmt.Sprintf("all replicas together; all nodes of Redis %.3f ms", each.redis)},
			Figure{Key: key("idle"), Name: "Redis commands a second with nothing to do" + with, Value: each.idle, Unit: "/s", Detail: fmt.Sprintf("on %d nodes", masters)},
		)
	}
	return all, nil
}

// spending is what one request costs, and a second without any.
type spending struct {
	commands, bytes, replicas, redis, idle float64
	listed                                 string
}

// shared plays lives over n replicas and counts.
func (s *Suite) shared(ctx context.Context, nodes []*database, n int) (spent spending, err error) {
	var addrs []string
	for _, node := range nodes {
		addrs = append(addrs, node.addr)
	}
	everywhere := func(context.Context, string) (string, func(), error) { return strings.Join(addrs, ","), func() {}, nil }
	replicas := make([]*fixture, n)
	for i := range replicas {
		if replicas[i], err = s.world(ctx, setting{program: s.unpaced, kind: "slack", redis: nodes[0], proxy: everywhere, args: quiet(s.unpaced, s)}); err != nil {
			return spent, err
		}
		defer replicas[i].close()
	}
	play := func(many int) error {
		return together(ctx, many, s.size.Crowd/4, func(ctx context.Context, i int) error {
			return replicas[i%n].live(ctx, replicas[(i+1)%n].url, think, &lives{})
		})
	}
	if err := play(4 * n); err != nil { // Every replica knows every other one.
		return spent, err
	}
	before, err := look(ctx, nodes, replicas)
	if err != nil {
		return spent, err
	}
	many := s.size.Requests / 4
	if err := play(many); err != nil {
		return spent, err
	}
	if err := rest(ctx, 20*settled); err != nil {
		return spent, err
	}
	after, err := look(ctx, nodes, replicas)
	if err != nil {
		return spent, err
	}
	if err := rest(ctx, s.size.Idle); err != nil {
		return spent, err
	}
	idle, err := look(ctx, nodes, replicas)
	if err != nil {
		return spent, err
	}
	each := after.since(before)
	quiet := idle.since(after)
	return spending{
		commands: float64(each.total()) / float64(many), listed: listed(each.commands, many),
		bytes:    float64(each.bytes) / float64(many),
		replicas: ms(each.replicas) / float64(many), redis: ms(each.redis) / float64(many),
		idle: float64(quiet.total()) / s.size.Idle.Seconds(),
	}, nil
}

// counted is what nodes and replicas have spent up to a moment.
type counted struct {
	commands        map[string]int
	bytes           int64
	redis, replicas time.Duration
}

func look(ctx context.Context, nodes []*database, replicas []*fixture) (counted, error) {
	c := counted{commands: map[string]int{}}
	for _, node := range nodes {
		commands, err := node.commands(ctx)
		if err != nil {
			return c, err
		}
		for name, n := range commands {
			c.commands[name] += n
		}
		sent, err := node.number(ctx, "stats", "total_net_output_bytes")
		if err != nil {
			return c, err
		}
		c.bytes += int64(sent)
		for _, part := range []string{"used_cpu_user", "used_cpu_sys"} {
			seconds, err := node.number(ctx, "cpu", part)
			if err != nil {
				return c, err
			}
			c.redis += time.Duration(seconds * float64(time.Second))
		}
	}
	for _, r := range replicas {
		used, err := r.cpu()
		if err != nil {
			return c, err
		}
		c.replicas += used
	}
	return c, nil
}

func (c counted) since(before counted) counted {
	spent := counted{commands: map[string]int{}, bytes: c.bytes - before.bytes, redis: c.redis - before.redis, replicas: c.replicas - before.replicas}
	for name, n := range c.commands {
		if n -= before.commands[name]; n > 0 {
			spent.commands[name] = n
		}
	}
	return spent
}

func (c counted) total() (n int) {
	for _, each := range c.commands {
		n += each
	}
	return n
}

// startCluster runs a Cluster whose nodes share all slots, and waits until each of them
// says that all is well.
func startCluster(ctx context.Context) ([]*database, error) {
	const slots = 16384
	var nodes []*database
	for i := range masters {
		bus, err := freePort(ctx)
		if err != nil {
			return nodes, err
		}
		node, err := startRedis(ctx, "--cluster-enabled", "yes", "--cluster-port", bus)
		if err != nil {
			return nodes, err
		}
		nodes = append(nodes, node)
		if _, err := node.do(ctx, "CLUSTER", "ADDSLOTSRANGE", fmt.Sprint(i*slots/masters), fmt.Sprint((i+1)*slots/masters-1)); err != nil {
			return nodes, err
		}
		if i > 0 {
			host, port, _ := strings.Cut(node.addr, ":")
			if _, err := nodes[0].do(ctx, "CLUSTER", "MEET", host, port, bus); err != nil {
				return nodes, err
			}
		}
	}
	for _, node := range nodes {
		if err := until(ctx, time.Minute, "the Cluster to form", func() bool {
			info, err := node.do(ctx, "CLUSTER", "INFO")
			return err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_size:%d\r\n", masters))
		}); err != nil {
			return nodes, err
		}
	}
	return nodes, nil
}
