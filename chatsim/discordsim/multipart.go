package discordsim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"regexp"
	"strconv"
)

// filePart matches the name of a file part.
// https://docs.discord.com/developers/reference#uploading-files
var filePart = regexp.MustCompile(`^files\[(\d+)\]$`)

// readParts parses a multipart body: the JSON of the request and the uploaded files. A second
// file with the same number replaces the first.
func (s *Server) readParts(where string, raw []byte, boundary string) (body []byte, uploads []upload, refused *apiError) {
	parts := multipart.NewReader(bytes.NewReader(raw), boundary)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return body, uploads, nil
		}
		if err != nil {
			s.violate(ruleParts, where, "%v", err)
			return nil, nil, no(50109)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, plain(400)
		}
		number := filePart.FindStringSubmatch(part.FormName())
		switch {
		case part.FormName() == "payload_json":
			body = content
		case number == nil || part.FileName() == "":
			message := fmt.Sprintf("%q is neither payload_json nor files[n] with a filename", part.FormName())
			return nil, nil, s.refuse(where, problem{ruleParts, part.FormName(), "BASE_TYPE_BAD_FIELD", message})
		case len(content) > maxFileBytes.max:
			s.violate(maxFileBytes, where, "%s has %d bytes, %d are allowed", part.FileName(), len(content), maxFileBytes.max)
			return nil, nil, no(40005)
		default:
			n, _ := strconv.Atoi(number[1]) // It contains only digits.
			uploads = append(uploads, upload{n, part.FileName(), content})
		}
	}
}
