package api

import (
	"net/http"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// showHistory lists what was done to a request: GET /v1/requests/{id}/history. It reads the record,
// so its cost does not depend on the length of the audit trail.
func showHistory(x *exchange) error {
	r, err := loadRequest(x)
	if err != nil {
		return err
	}
	if r.Trail == nil {
		return noAudit()
	}
	reply := client.History{Events: make([]client.HistoryEvent, len(r.Trail.Events)), Before: r.Trail.Seq - int64(len(r.Trail.Events))}
	for n, e := range r.Trail.Events {
		reply.Events[n] = client.HistoryEvent{Seq: e.Seq, At: e.At.UTC(), Kind: string(e.Kind), Act: e.Act, Detail: e.Detail, Choices: e.Choices, Text: e.Text}
		if e.By != (ask.Person{}) {
			reply.Events[n].By = &e.By
		}
	}
	return x.reply(http.StatusOK, reply)
}
