package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/webhook"
)

// Device gets copies of the trail: whole batches, without texts. After a crash a batch can
// come twice, and so can one that was taken late; it is the same byte for byte.
type Device interface {
	// Name tells the device from others, also after a restart.
	Name() string
	// Write takes a batch, or fails, and is then given the same one again. It ends with its
	// context: see [Detach].
	Write(ctx context.Context, batch []byte) error
}

// sendTime is how long a device is given batches in one turn: what has happened meanwhile gets
// its lines before the next ones.
const sendTime = holds / 3

// errMore means that a device has not got all yet, and that there is nothing wrong with it.
var errMore = errors.New("more is to be copied than goes into one turn")

// send gives each device the batches that it has not got yet, as far as it comes. One that fails
// is left alone until the next turn: a receiver that hangs does so once, and not for each
// tenant. Which tenant is first is left to chance, so that one whose batch is never taken
// keeps out no other. A device that was behind is so until it has all.
func (x *Exporter) send(ctx context.Context) error {
	var failed error
	for _, d := range x.o.Devices {
		until := time.Now().Add(sendTime)
		for tenant, h := range x.heads {
			n, err := x.sendTo(ctx, d, h, until)
			if n > 0 && x.o.Wrote != nil {
				x.o.Wrote(d.Name(), n)
			}
			if errors.Is(err, errMore) && x.Lag() == 0 {
				break
			}
			if err != nil {
				err = fmt.Errorf("audit: copy %q to %s: %w", tenant, d.Name(), err)
				x.missed(d.Name(), err)
				failed = errors.Join(failed, err)
				break
			}
		}
	}
	return failed
}

func (x *Exporter) sendTo(ctx context.Context, d Device, h *stored, until time.Time) (lines int, err error) {
	key := keyvalue.Key{Kind: kindSent, Tenant: h.Tenant, ID: d.Name()}
	if x.sent[key.String()] >= h.Batch {
		return 0, nil
	}
	e, err := x.log.kv.Get(ctx, key)
	if err != nil && !errors.Is(err, bridge.ErrNotFound) {
		return 0, err
	}
	sent, _ := strconv.ParseInt(string(e.Value), 10, 64) // Nothing yet, or a number.
	before := sent
	sent, lines, err = x.sendBehind(ctx, d, h.Tenant, sent, until)
	if sent > before {
		_, put := x.log.kv.Put(ctx, key, []byte(strconv.FormatInt(sent, 10)), nil)
		switch {
		case put == nil || errors.Is(put, bridge.ErrNotReplicated):
		case errors.Is(err, errMore):
			err = put
		default:
			err = errors.Join(err, put)
		}
	}
	if err == nil {
		x.sent[key.String()] = sent
	}
	return lines, err
}

// sendBehind copies the batches of a chain behind one, as long as there is time. It returns the last one
// that the device has, and how many lines were copied.
func (x *Exporter) sendBehind(ctx context.Context, d Device, tenant string, sent int64, until time.Time) (last int64, lines int, err error) {
	r := keyvalue.Range{Kind: kindBatch, Tenant: tenant}
	if sent > 0 {
		r.After = batchKey(tenant, sent)
	}
	for e, err := range x.log.all(ctx, r) {
		if err != nil {
			return sent, lines, err
		}
		first, err := strconv.ParseInt(e.Key.ID, 16, 64)
		switch {
		case err != nil:
			return sent, lines, fmt.Errorf("audit: %s is no batch", e.Key)
		case time.Now().After(until):
			return sent, lines, errMore
		}
		if err := d.Write(ctx, e.Value); err != nil {
			return sent, lines, err
		}
		lines += bytes.Count(e.Value, []byte("\n")) - 1
		sent = first
	}
	return sent, lines, nil
}

// File appends to a file, which is opened anew for each batch: who rotates it moves it away.
type File struct{ Path string }

// Name implements [Device].
func (f File) Name() string { return "file " + f.Path }

// Write implements [Device]. A batch that cannot be written completely, as on a full disk, is
// taken back: the exporter sends it again. So does Write with the start of a batch that a power
// cut left at the end of the file. If the file is new, its name is synced to the disk as well.
func (f File) Write(_ context.Context, batch []byte) error {
	out, err := os.OpenFile(f.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	before, err := out.Stat()
	if err != nil {
		return errors.Join(err, out.Close())
	}
	size := before.Size()
	if before.Mode().IsRegular() {
		if left := f.unfinished(size); left > 0 && out.Truncate(size-left) == nil { // It fails for a file that can only be appended to.
			size -= left
		}
	}
	if _, err = out.Write(batch); err == nil {
		err = out.Sync()
	}
	if err == nil && size == 0 {
		f.keepName()
	}
	if err != nil && before.Mode().IsRegular() {
		err = errors.Join(err, out.Truncate(size))
	}
	return errors.Join(err, out.Close())
}

func (f File) keepName() {
	if dir, err := os.Open(filepath.Dir(f.Path)); err == nil {
		_ = errors.Join(dir.Sync(), dir.Close()) // Its lines are on the disk. Not everywhere can its name be there any sooner.
	}
}

// unfinished returns how many bytes at the end of the file belong to a batch without its head. Bytes
// that are not the start of a line of a trail are left alone, and so is a file that cannot be read.
func (f File) unfinished(size int64) (left int64) {
	in, err := os.Open(f.Path)
	if err != nil {
		return 0
	}
	defer func() { _ = in.Close() }() // Only read.
	end := make([]byte, min(size, keyvalue.MaxValue))
	if _, err := in.ReadAt(end, size-int64(len(end))); err != nil {
		return 0
	}
	for len(end) > 0 {
		begins := bytes.LastIndexByte(end[:len(end)-1], '\n') + 1
		line := end[begins:]
		whole := bytes.HasSuffix(line, []byte("\n"))
		switch {
		case startsLike(line, lined), !whole && startsLike(line, headed):
			left += int64(len(line))
			end = end[:begins]
		default:
			return left
		}
	}
	return left
}

// startsLike reports whether data begins with prefix, as far as it goes.
func startsLike(data []byte, prefix string) bool {
	return bytes.HasPrefix(data, []byte(prefix)) || strings.HasPrefix(prefix, string(data))
}

// Stream writes to a stream, such as standard output.
type Stream struct {
	Label string
	To    io.Writer

	mu sync.Mutex
}

// Name implements [Device].
func (s *Stream) Name() string { return s.Label }

// Write implements [Device].
func (s *Stream) Write(_ context.Context, batch []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.To.Write(batch)
	return err
}

// Webhook posts each batch as JSON lines, signed as Standard Webhooks says. The id of a call
// is that of the batch, so a receiver knows one that it has.
type Webhook struct {
	Address, Secret string
	// Client makes the calls, and follows no redirect; nil is one of its own.
	Client *http.Client
}

const webhookTime = 10 * time.Second

// Name implements [Device].
func (w Webhook) Name() string { return "webhook " + hash([]byte(w.Address))[:16] }

// stay follows no redirect: after one of them a call has no body any more, and whoever takes it
// there says that all is well.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Write implements [Device]. Anything but 2xx is a failure, a redirect too.
func (w Webhook) Write(ctx context.Context, batch []byte) error {
	ctx, cancel := context.WithTimeoutCause(ctx, webhookTime, errors.New("the receiver of the audit trail did not answer in time"))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.Address, bytes.NewReader(batch))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	if err := webhook.Sign(req.Header, w.Secret, "audit_"+hash(batch)[:32], time.Now(), batch); err != nil {
		return err
	}
	c := http.Client{}
	if w.Client != nil {
		c = *w.Client
	}
	c.CheckRedirect = stay
	resp, err := c.Do(req)
	if called, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("the receiver of the audit trail: %w", called.Err) // Its address may hold a secret.
	}
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // So that the connection can be used again.
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver of the audit trail answered %s", resp.Status)
	}
	return nil
}

// splitLines are the lines of a batch that are no head.
func splitLines(batch []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(batch) {
			if line = bytes.TrimSpace(line); !bytes.HasPrefix(line, []byte(headed)) && json.Valid(line) && !yield(line) {
				return
			}
		}
	}
}
