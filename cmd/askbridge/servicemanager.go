package main

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// tellServing tells the service manager that askbridge serves from now on, at the socket that systemd names in
// NOTIFY_SOCKET; without one nobody waits to be told. A unit of Type=notify is reloaded only after that: the SIGHUP of a reload would end
// a program that does not wait for it yet, for which systemd starts no other.
// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
func tellServing(ctx context.Context, socket string) error {
	if socket == "" {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unixgram", socket)
	if err != nil {
		return fmt.Errorf("NOTIFY_SOCKET: %w", err)
	}
	_, err = conn.Write([]byte("READY=1"))
	return errors.Join(err, conn.Close())
}
