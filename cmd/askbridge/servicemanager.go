package main

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// notifyServing notifies the service manager that askbridge is ready, at the socket that systemd names in NOTIFY_SOCKET. Without a
// socket it does nothing. systemd reloads a unit of Type=notify only after that: an earlier SIGHUP would end the program,
// and systemd would not restart it.
// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
func notifyServing(ctx context.Context, socket string) error {
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
