package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/webhook"
)

// File appends to a file, which it opens for each batch, so that it can be rotated by moving it.
type File struct{ Path string }

// Name implements [Device].
func (f File) Name() string { return "file " + f.Path }

// Write implements [Device]. It removes a batch that it cannot write completely, as on a full disk,
// and an incomplete batch that a power failure left at the end. The exporter sends both again.
func (f File) Write(_ context.Context, batch []byte) error {
	out, err := os.OpenFile(f.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	before, err := out.Stat()
	if err != nil {
		return errors.Join(err, out.Close())
	}
	size, regular := before.Size(), before.Mode().IsRegular()
	if regular {
		if left := f.incomplete(size); left > 0 && out.Truncate(size-left) == nil { // Fails for an append-only file.
			size -= left
		}
	}
	if _, err = out.Write(batch); err == nil {
		err = out.Sync()
	}
	switch {
	case err == nil && size == 0:
		f.syncName()
	case err != nil && regular:
		err = errors.Join(err, out.Truncate(size))
	}
	return errors.Join(err, out.Close())
}

// syncName syncs the directory of a new file. Not all file systems can; the lines are safe then too.
func (f File) syncName() {
	if dir, err := os.Open(filepath.Dir(f.Path)); err == nil {
		_ = errors.Join(dir.Sync(), dir.Close())
	}
}

// incomplete returns the length of a batch without its head at the end of the file. It ignores
// content that does not look like a trail, and a file that it cannot read.
func (f File) incomplete(size int64) int64 {
	in, err := os.Open(f.Path)
	if err != nil {
		return 0
	}
	defer func() { _ = in.Close() }()
	end := make([]byte, min(size, keyvalue.MaxValue))
	if _, err := in.ReadAt(end, size-int64(len(end))); err != nil {
		return 0
	}
	rest := end
	for len(rest) > 0 {
		start := bytes.LastIndexByte(rest[:len(rest)-1], '\n') + 1
		line := rest[start:]
		if !startsLike(line, lined) && (bytes.HasSuffix(line, []byte("\n")) || !startsLike(line, headed)) {
			break
		}
		rest = rest[:start]
	}
	return int64(len(end) - len(rest))
}

// startsLike reports whether data, which may be shorter, begins like prefix.
func startsLike(data []byte, prefix string) bool {
	return bytes.HasPrefix(data, []byte(prefix)) || strings.HasPrefix(prefix, string(data))
}

// Stream writes to a stream, such as standard output.
type Stream struct {
	Label string
	To    io.Writer
}

// Name implements [Device].
func (s *Stream) Name() string { return s.Label }

// Write implements [Device].
func (s *Stream) Write(_ context.Context, batch []byte) error {
	_, err := s.To.Write(batch)
	return err
}

// Webhook posts each batch as JSON lines, signed as described by Standard Webhooks
// (https://www.standardwebhooks.com). The message ID identifies the batch for deduplication.
type Webhook struct {
	Address, Secret string
}

// Name implements [Device].
func (w Webhook) Name() string { return "webhook " + hash([]byte(w.Address))[:16] }

// Write implements [Device]. Every status except 2xx is a failure. It follows no redirect, which
// would lose the body.
func (w Webhook) Write(ctx context.Context, batch []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.Address, bytes.NewReader(batch))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	if err := webhook.Sign(req.Header, w.Secret, "audit_"+hash(batch)[:32], time.Now(), batch); err != nil {
		return err
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("audit receiver: %w", failed.Err) // The address may contain a secret.
	}
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // So that the connection can be reused.
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("audit receiver: status %s", resp.Status)
	}
	return nil
}
