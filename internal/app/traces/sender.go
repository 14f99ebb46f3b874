package traces

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/askbridge/askbridge/internal/wait"
)

const (
	// firstPause and maxPause limit the backoff between attempts for one batch.
	firstPause = time.Second
	maxPause   = 10 * time.Second
	// maxReply is how much of a response is read so that its connection can be reused.
	maxReply = 64 << 10
)

// sender posts spans as OTLP over HTTP with Protobuf. Unlike the SDK's exporter it does not link gRPC,
// which adds 13 MiB (docs/decisions/0051).
//
// https://opentelemetry.io/docs/specs/otlp/#otlphttp
type sender struct {
	settings

	http    *http.Client
	agent   string
	log     *slog.Logger
	stopped context.Context //nolint:containedctx // The life of the sender, which its exporter ends.
	stop    context.CancelFunc
	failing atomic.Bool
}

func newSender(s *settings, agent string, log *slog.Logger) *sender {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // It is one.
	transport.TLSClientConfig = s.tls
	stopped, stop := context.WithCancel(context.Background())
	return &sender{
		settings: *s, agent: agent, log: log, stopped: stopped, stop: stop,
		// Headers may contain a secret and must not follow a redirect.
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// Start implements otlptrace.Client.
func (s *sender) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client and ends uploads in progress.
func (s *sender) Stop(context.Context) error {
	s.stop()
	s.http.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. Spans that cannot be sent are dropped; the log has a line
// when that begins and when it ends.
func (s *sender) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)()
	body, err := s.body(spans)
	if err == nil {
		err = s.send(ctx, body)
	}
	switch {
	case err != nil && !s.failing.Swap(true):
		s.log.Warn("spans dropped, collector unavailable", "collector", s.endpoint.Host, "error", err)
	case err == nil && s.failing.Swap(false):
		s.log.Info("spans sent again", "collector", s.endpoint.Host)
	}
	return nil // The SDK would write each error to standard error.
}

// body encodes the request. TracesData has the wire format of ExportTraceServiceRequest, whose package
// links gRPC.
func (s *sender) body(spans []*tracepb.ResourceSpans) ([]byte, error) {
	data, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil || !s.gzip {
		return data, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(data)
	err = errors.Join(err, z.Close()) // Flushes the rest.
	return packed.Bytes(), err
}

// send retries until the collector accepts or rejects the body, or ctx ends.
func (s *sender) send(ctx context.Context, body []byte) error {
	pause := firstPause
	for {
		again, atLeast, err := s.once(ctx, body)
		if err == nil || !again {
			return err
		}
		if stopped := wait.For(ctx, max(pause, atLeast)); stopped != nil {
			return err
		}
		pause = min(2*pause, maxPause)
	}
}

// once makes one attempt. It returns whether to try again, and after how long.
func (s *sender) once(ctx context.Context, body []byte) (again bool, atLeast time.Duration, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, errors.New("timeout"))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	maps.Copy(req.Header, s.headers)
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("User-Agent", s.agent)
	if s.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return true, 0, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply)) // The status is enough.
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // Without one our own pause applies.
		return true, min(max(time.Duration(seconds)*time.Second, 0), time.Minute), errors.New(resp.Status)
	}
	if resp.StatusCode/100 != 2 {
		return false, 0, fmt.Errorf("status %s", resp.Status)
	}
	return false, 0, nil
}
