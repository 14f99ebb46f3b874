package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// pressed parses a control ID, "1:<request>:c:<question>:<option>".
func pressed(control string) (id, option string, ok bool) {
	part := strings.Split(control, ":")
	if len(part) != 5 {
		return "", "", false
	}
	return part[1], part[4], true
}

func control(id string, option int) string { return "1:" + id + ":c:0:" + strconv.Itoa(option) }

// chosen returns the label of an option.
func chosen(q question, option string) string {
	if n, err := strconv.Atoi(option); err == nil && n >= 0 && n < len(q.Options) {
		return q.Options[n].Label
	}
	return option
}

// text formats the question with its options.
func text(q question) string {
	var b strings.Builder
	b.WriteString("*" + q.Text + "*")
	for _, o := range q.Options {
		b.WriteString("\n• " + o.Label + ": " + o.Description)
	}
	return b.String()
}

func jsonCall(method, address string, body any) (*http.Request, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(method, address, bytes.NewReader(data)) //nolint:noctx // Its caller adds the context.
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Authorization", "Bearer floor")
	return r, nil
}

// slack is the signing secret.
type slack []byte

func (slack) post(address, channel, id string, q question) (*http.Request, error) {
	buttons := []any{}
	for n, o := range q.Options {
		buttons = append(buttons, map[string]any{
			"type": "button", "action_id": control(id, n), "text": map[string]any{"type": "plain_text", "text": o.Label},
		})
	}
	return jsonCall(http.MethodPost, address+"chat.postMessage", map[string]any{
		"channel": channel, "text": q.Text,
		"blocks": []any{section(text(q)), map[string]any{"type": "actions", "elements": buttons}},
	})
}

func section(markdown string) map[string]any {
	return map[string]any{"type": "section", "text": map[string]any{"type": "mrkdwn", "text": markdown}}
}

func (s slack) click(r *http.Request, body []byte) (press, error) {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte("v0:" + r.Header.Get("X-Slack-Request-Timestamp") + ":"))
	mac.Write(body)
	signature, err := hex.DecodeString(strings.TrimPrefix(r.Header.Get("X-Slack-Signature"), "v0="))
	if err != nil || !hmac.Equal(mac.Sum(nil), signature) {
		return press{}, errSignature
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return press{}, err
	}
	var payload struct {
		Container struct {
			Channel string `json:"channel_id"`
			Message string `json:"message_ts"`
		} `json:"container"`
		Actions []struct {
			ID string `json:"action_id"`
		} `json:"actions"`
	}
	if err := json.Unmarshal([]byte(form.Get("payload")), &payload); err != nil || len(payload.Actions) == 0 {
		return press{}, errSignature
	}
	p := press{channel: payload.Container.Channel, message: payload.Container.Message}
	p.id, p.option, _ = pressed(payload.Actions[0].ID)
	return p, nil
}

func (slack) acknowledge(w http.ResponseWriter, _ question, _ string) {
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
}

func (slack) update(address string, p press, q question, answer string) (*http.Request, error) {
	return jsonCall(http.MethodPost, address+"chat.update", map[string]any{
		"channel": p.channel, "ts": p.message, "text": q.Text,
		"blocks": []any{section(text(q)), section("Answered: " + chosen(q, answer))},
	})
}

// discord is the application's public key.
type discord ed25519.PublicKey

func (discord) post(address, channel, id string, q question) (*http.Request, error) {
	buttons := []any{}
	for n, o := range q.Options {
		buttons = append(buttons, map[string]any{"type": 2, "style": 2, "custom_id": control(id, n), "label": o.Label})
	}
	return jsonCall(http.MethodPost, address+"v10/channels/"+channel+"/messages", map[string]any{
		"flags": 1 << 15, "components": []any{
			map[string]any{"type": 10, "content": text(q)},
			map[string]any{"type": 1, "components": buttons},
		},
	})
}

func (d discord) click(r *http.Request, body []byte) (press, error) {
	signature, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	if err != nil || !ed25519.Verify(ed25519.PublicKey(d), append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
		return press{}, errSignature
	}
	var payload struct {
		Data struct {
			ID string `json:"custom_id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &payload); err != nil {
		return press{}, err
	}
	var p press
	p.id, p.option, _ = pressed(payload.Data.ID)
	return p, nil
}

// acknowledge updates the message in the response.
func (discord) acknowledge(w http.ResponseWriter, q question, answer string) {
	data, err := json.Marshal(map[string]any{"type": 7, "data": map[string]any{
		"flags": 1 << 15, "components": []any{
			map[string]any{"type": 10, "content": text(q)},
			map[string]any{"type": 10, "content": "Answered: " + chosen(q, answer)},
		},
	}})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}

func (discord) update(string, press, question, string) (*http.Request, error) { return nil, nil } //nolint:nilnil // There is none.
