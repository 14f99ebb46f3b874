package webhook

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

// outcome returns a fixed phrase for why a call got no response. The error itself may reveal resolvers and addresses of the
// bridge's network, so it is only logged.
func outcome(err error) string {
	var (
		name    *net.DNSError
		waited  net.Error
		refused *tls.CertificateVerificationError
		alert   tls.AlertError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, errInside):
		return "the host is not on the public internet"
	case errors.As(err, &name) && name.IsNotFound:
		return "the host was not found"
	case errors.As(err, &name):
		return "the host could not be looked up"
	case errors.As(err, &waited) && waited.Timeout():
		return "timed out"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.As(err, &refused), errors.As(err, &alert), errors.As(err, &record):
		return "no secure connection"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the connection broke"
	}
	return "not reached"
}
