package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// client implements the part of the Redis protocol that the floor needs.
type client struct {
	address string
	idle    chan *conn
}

type conn struct {
	net.Conn

	r   *bufio.Reader
	out []byte
}

func newClient(address string) *client {
	return &client{address: address, idle: make(chan *conn, 256)}
}

func (c *client) dial(ctx context.Context) (*conn, error) {
	var d net.Dialer
	n, err := d.DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, fmt.Errorf("floor: redis: %w", err)
	}
	return &conn{Conn: n, r: bufio.NewReader(n)}, nil
}

// do runs one command in one round trip.
func (c *client) do(ctx context.Context, words ...string) (string, error) {
	var to *conn
	select {
	case to = <-c.idle:
	default:
		var err error
		if to, err = c.dial(ctx); err != nil {
			return "", err
		}
	}
	reply, err := to.do(words)
	if err != nil {
		_ = to.Close()
		return "", err
	}
	select {
	case c.idle <- to:
	default:
		_ = to.Close()
	}
	return reply, nil
}

func (c *client) load(ctx context.Context, script string) (string, error) {
	return c.do(ctx, "SCRIPT", "LOAD", script)
}

func (c *conn) do(words []string) (string, error) {
	c.out = fmt.Appendf(c.out[:0], "*%d\r\n", len(words))
	for _, word := range words {
		c.out = strconv.AppendInt(append(c.out, '$'), int64(len(word)), 10)
		c.out = append(append(append(c.out, "\r\n"...), word...), "\r\n"...)
	}
	if _, err := c.Write(c.out); err != nil {
		return "", err
	}
	return c.reply()
}

// reply reads one reply; for an array it returns the last element.
func (c *conn) reply() (string, error) {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, rest := line[0], strings.TrimRight(line[1:], "\r\n")
	switch kind {
	case '+', ':':
		return rest, nil
	case '-':
		return "", errors.New("floor: redis: " + rest)
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 {
		return "", err
	}
	if kind == '$' {
		text := make([]byte, n+2)
		if _, err := io.ReadFull(c.r, text); err != nil {
			return "", err
		}
		return string(text[:n]), nil
	}
	var last string
	for range n {
		if last, err = c.reply(); err != nil {
			return "", err
		}
	}
	return last, nil
}

// subscribe calls f with every message of a channel until the caller calls stop.
func (c *client) subscribe(ctx context.Context, channel string, f func(string)) (stop func(), err error) {
	from, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := from.do([]string{"SUBSCRIBE", channel}); err != nil {
		_ = from.Close()
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			message, err := from.reply()
			if err != nil {
				return
			}
			f(message)
		}
	}()
	return func() {
		_ = from.Close()
		<-done
	}, nil
}
