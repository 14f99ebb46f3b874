package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const deviceSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

// TestWebhookFollowsNoRedirect uses a receiver that redirects to a page that answers 200.
func TestWebhookFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			elsewhere := false
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					elsewhere = true
					return
				}
				http.Redirect(w, r, "/elsewhere", status)
			}))
			defer receiver.Close()
			err := Webhook{Address: receiver.URL + "/trail", Secret: deviceSecret}.Write(t.Context(), []byte("{}\n"))
			if err == nil || elsewhere {
				t.Errorf("delivered: error %v, redirect followed: %t", err, elsewhere)
			}
		})
	}
}

func TestWebhookErrorsOmitAddress(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.NotFoundHandler())
	address := receiver.URL + "/canary"
	for _, closed := range []bool{false, true} {
		if closed {
			receiver.Close()
		}
		if err := (Webhook{Address: address, Secret: deviceSecret}).Write(t.Context(), []byte("{}\n")); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("error %v", err)
		}
	}
}

// A power cut interrupts the write of a batch at any byte. The batch is then sent again, after one of
// another tenant.
func TestFileRemovesIncompleteBatch(t *testing.T) {
	t.Parallel()
	d, _ := trailOf(t, 1)
	first := d.export(false)
	d.ask("ops", "next")
	d.answer("next", "U1", "now")
	d.vacate()
	d.turn(d.exporter())
	whole := d.export(false)
	batch := whole[len(first):]
	copied := File{filepath.Join(t.TempDir(), "trail.jsonl")}
	if len(batch) < 200 {
		t.Fatalf("no batch: %s", batch)
	}
	other, _ := trailOf(t, 1)
	others := bytes.ReplaceAll(other.export(false), []byte("ops"), []byte("shop"))
	for cut := 0; cut < len(batch); cut += 7 {
		if err := os.WriteFile(copied.Path, whole[:len(first)+cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(copied.Write(t.Context(), others), copied.Write(t.Context(), batch)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(copied.Path)
		if err != nil {
			t.Fatal(err)
		}
		got = bytes.Replace(got, others, nil, 1) // It is signed with another key.
		if r := d.verify(got); len(r.Problems) > 0 || r.Lines != 4 || r.Heads[0].N != 4 {
			t.Fatalf("cut at byte %d: %v\n%s", cut, r.Problems, got)
		}
	}
	const theirs = "text of another program"
	if err := os.WriteFile(copied.Path, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := copied.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(copied.Path); err != nil || string(got) != theirs+string(batch) {
		t.Errorf("file is %s, %v", got, err)
	}
}

// hanging is a receiver that fails slowly.
type hanging struct{}

func (hanging) Name() string { return "hanging" }

func (hanging) Write(ctx context.Context, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestHangingDeviceDelaysTurnOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		x := d.exporter(hanging{})
		for n := range 20 {
			d.ask(fmt.Sprint("tenant", n), fmt.Sprint("p", n))
		}
		began := time.Now()
		if err := x.turn(t.Context()); err == nil {
			t.Error("a hanging device is not reported")
		}
		if took := time.Since(began); took > leaseTime {
			t.Errorf("events of other tenants had no lines for %s", took)
		}
	})
}

// picky is a device that rejects one tenant.
type picky struct{ got bytes.Buffer }

func (*picky) Name() string { return "picky" }

func (d *picky) Write(_ context.Context, batch []byte) error {
	if bytes.Contains(batch, []byte(`"tenant":"barred"`)) {
		return errors.New("too large")
	}
	d.got.Write(batch)
	return nil
}

func TestRejectedTenantDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	d, device := newDesk(t), &picky{}
	x := d.exporter(device)
	d.ask("barred", "p1")
	d.ask("ops", "p2")
	d.ask("shop", "p3")
	for range 100 {
		_ = x.turn(t.Context()) // Every pass fails.
	}
	for _, tenant := range []string{"ops", "shop"} {
		if !strings.Contains(device.got.String(), `"tenant":"`+tenant+`"`) {
			t.Errorf("copy has no lines of %s", tenant)
		}
	}
}

// slow is a device that needs a second for each batch.
type slow struct {
	got    bytes.Buffer
	broken bool
}

func (*slow) Name() string { return "slow" }

func (d *slow) Write(_ context.Context, batch []byte) error {
	time.Sleep(time.Second)
	if d.broken {
		return errors.New("out of order")
	}
	d.got.Write(batch)
	return nil
}

// A receiver returns after a long outage and gets everything that it missed.
func TestEventsGetLinesWhileDeviceCatchesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, device := newDesk(t), &slow{broken: true}
		before, x := d.exporter(), d.exporter(device)
		for n := range 60 {
			d.ask("ops", fmt.Sprint("p", n))
			d.turn(before)
		}
		d.vacate()
		if err := x.turn(t.Context()); err == nil {
			t.Fatal("a failing device is not reported")
		}
		device.broken = false
		d.ask("ops", "new")
		x.all = true
		began := time.Now()
		if err := x.turn(t.Context()); err == nil || x.Lag() == 0 {
			t.Error("lag is zero although the copy is behind")
		}
		if took := time.Since(began); took > leaseTime || !strings.Contains(string(d.export(false)), `"request":"new"`) {
			t.Errorf("a pass takes %s", took)
		}
		for range 30 {
			_ = x.turn(t.Context()) // Passes fail until the copy is complete.
		}
		if !bytes.Equal(device.got.Bytes(), d.export(false)) || x.Lag() != 0 {
			t.Errorf("the device has %d bytes of %d, and the trail is behind for %s", device.got.Len(), len(d.export(false)), x.Lag())
		}
	})
}

func TestNewDeviceIsNotBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, device := newDesk(t), &slow{}
		before, x := d.exporter(), d.exporter(device)
		for n := range 20 {
			d.ask("ops", fmt.Sprint("p", n))
			d.turn(before)
		}
		d.vacate()
		for range 30 {
			if err := x.turn(t.Context()); err != nil || x.Lag() != 0 {
				t.Fatalf("the trail is behind: %v", err)
			}
		}
		if !bytes.Equal(device.got.Bytes(), d.export(false)) {
			t.Error("the device lacks batches")
		}
	})
}
