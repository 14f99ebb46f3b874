package api

import (
	"log/slog"
	"net/http"
	"time"
)

const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 16 << 10
	// pingTime and pongTime detect over HTTP/2 that a waiting client is gone; over HTTP/1.1 TCP
	// keep-alives do.
	pingTime = 30 * time.Second
	pongTime = 15 * time.Second
	// maxStreams is the number of calls per HTTP/2 connection, most of which wait.
	maxStreams = 1000
)

// NewServer returns a server for h, which may serve more than this API. It limits headers and
// idle connections, sets no timeout for whole calls, since waiting ones last as long as they
// request, and serves HTTP/2 in clear text in addition to HTTP/1.1. Register [Handler.Drain]
// with [http.Server.RegisterOnShutdown].
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           lean{h},
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		Protocols:         &protocols,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams,
			SendPingTimeout:      pingTime,
			PingTimeout:          pongTime,
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelInfo),
	}
}
