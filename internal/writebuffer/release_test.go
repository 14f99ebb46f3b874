package writebuffer

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
)

// ask makes a call over HTTP/2 that is handled by f, and returns what it is answered.
func ask(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(f)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	resp, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.ProtoMajor != 2 {
		t.Fatalf("it was made over %s", resp.Proto)
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

func TestAStreamWhoseBufferWasGivenBackIsAnsweredInFull(t *testing.T) {
	t.Parallel()
	answer := strings.Repeat("0123456789", 2000)
	got := ask(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			done := Release(w)
			if can := runtime.GOOS == "linux" && os.Getpagesize() == size; done != can {
				t.Errorf("given back: %t, want %t; does net/http have its buffers elsewhere now?", done, can)
			}
		}
		_, _ = io.WriteString(w, answer)
	})
	if got != answer {
		t.Errorf("it is answered with %d bytes, want %d", len(got), len(answer))
	}
}

func TestABufferWithSomethingInItStays(t *testing.T) {
	t.Parallel()
	got := ask(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begun, ")
		if Release(w) {
			t.Error("given back with something in it")
		}
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "ended")
	})
	if got != "begun, ended" {
		t.Errorf("it is answered with %q", got)
	}
}

func TestWhatIsNoStreamStaysAsItIs(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if Release(w) {
			t.Error("a call over HTTP/1.1 has such a buffer")
		}
	}))
	defer server.Close()
	resp, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	type other struct{ http.ResponseWriter }
	for _, w := range []http.ResponseWriter{nil, httptest.NewRecorder(), other{}, &other{}, (*other)(nil), &misnamed{}, &misnamed{rws: &struct{ bw int }{}}} {
		if Release(w) {
			t.Errorf("%T has such a buffer", w)
		}
	}
}

// misnamed has the outermost name alone.
type misnamed struct {
	http.ResponseWriter

	rws *struct{ bw int }
}
