package slacksim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// maxUpload is the double's maximum file size; Slack's own limit is 1 GB.
const maxUpload = 64 << 20

var errNoFile = errors.New("the form has no file")

// serveUpload receives the content of a file, raw or as a form.
// https://docs.slack.dev/messaging/working-with-files/#upload
func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	content, err := uploaded(r)
	done := s.log(Call{Method: Uploads, At: s.clock.Now(), Args: map[string]any{"bytes": len(content)}})
	fault := s.fault(Uploads)
	if !s.applyFault(w, r, fault, done) {
		return
	}
	var refused *apiError
	switch {
	case fault.Word() != "":
		refused = &apiError{word: fault.Word(), status: http.StatusBadRequest}
	case err != nil:
		s.violate(ruleUpload, Uploads, "%v", err)
		refused = &apiError{word: "invalid_form_data", status: http.StatusBadRequest}
	default:
		refused = s.keep(strings.TrimPrefix(r.URL.Path, uploadPath), content)
	}
	s.notify()
	if fault.LosesReply() {
		done(0, wordOf(refused))
		panic(http.ErrAbortHandler)
	}
	if refused != nil {
		s.record(chatsim.Event{Kind: chatsim.Refused, Where: Uploads, Text: refused.word})
		done(refused.status, refused.word)
		http.Error(w, refused.word, refused.status)
		return
	}
	done(http.StatusOK, "")
	_, _ = fmt.Fprintf(w, "OK - %d", len(content)) // The caller may have disconnected.
}

// keep stores the content of an announced file. It may be sent again until the upload is
// completed.
func (s *Server) keep(ticket string, content []byte) *apiError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.announced(ticket); f != nil {
		switch {
		case f.complete:
			s.violate(ruleUpload, Uploads, "file %s was completed before", f.id)
			return &apiError{word: "file_not_found", status: http.StatusNotFound}
		case len(content) != f.announced:
			s.violate(ruleUpload, Uploads, "%d bytes arrived for %s, %d were announced", len(content), f.name, f.announced)
			return &apiError{word: "length_mismatch", status: http.StatusBadRequest}
		}
		f.content, f.uploaded = content, true
		return nil
	}
	s.violate(ruleUpload, Uploads, "the URL was never issued")
	return &apiError{word: "file_not_found", status: http.StatusNotFound}
}

// announced returns the file of an upload_url, or nil.
func (s *Server) announced(ticket string) *file {
	for _, f := range s.files {
		if f.ticket == ticket {
			return f
		}
	}
	return nil
}

// uploaded returns the content of an upload: the first file of a form, or the whole body.
func uploaded(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxUpload))
	if err != nil {
		return nil, fmt.Errorf("slacksim: upload: %w", err)
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return body, nil
	}
	parts := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, errNoFile
		}
		if err != nil {
			return nil, fmt.Errorf("slacksim: upload: %w", err)
		}
		if part.FileName() != "" {
			return io.ReadAll(part)
		}
	}
}
