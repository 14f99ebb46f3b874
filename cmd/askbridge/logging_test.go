package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestLoggedDurationsHaveUnits(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"text": "took=1.23s rest=2µs", "json": `"took":"1.23s","rest":"2µs"`} {
		var out bytes.Buffer
		log, err := newLogger(&out, "info", format)
		if err != nil {
			t.Fatal(err)
		}
		log.Info("call served", "took", 1230*time.Millisecond+999*time.Nanosecond, "rest", 2*time.Microsecond)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", format, out.String())
		}
	}
}
