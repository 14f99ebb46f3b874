package webhook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/webhook"
)

// How an agent receives the webhook call about the end of its request.
func ExampleVerify() {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=" // It is under webhooks in the configuration.

	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
		if err != nil || webhook.Verify(r.Header, body, secret) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct {
			Type string         `json:"type"`
			Data client.Request `json:"data"`
		}
		if err := json.Unmarshal(body, &event); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println(event.Type, event.Data.Text)
		w.WriteHeader(http.StatusNoContent)
	})

	// What the bridge sends.
	body := `{"type":"request.answered","timestamp":"2026-03-15T12:00:00Z","data":{"id":"p1","state":"answered","text":"SQLite"}}`
	call := httptest.NewRequest(http.MethodPost, "/answers", strings.NewReader(body))
	if err := webhook.Sign(call.Header, secret, "msg_p1_answered", time.Now(), []byte(body)); err != nil {
		fmt.Println(err)
	}
	reply := httptest.NewRecorder()
	receiver.ServeHTTP(reply, call)
	fmt.Println(reply.Code)
	// Output:
	// request.answered SQLite
	// 204
}
