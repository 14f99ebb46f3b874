// Package operation turns a host's permission prompt into a request: what exactly an approval covers, and how the card shows it.
//
// The [ask.Operation] contains a digest of everything that an approval covers. The card shows all of it in full, or its
// beginning with the whole text as a file below the card.
package operation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// Home is the member with the person's home directory. The card uses it to shorten the folder, which is covered in full.
const Home = "home"

// Describe sets the operation of the request: a tool of the host with the given parts of the prompt, in the folder and
// environment that f names.
func Describe(s *question.Set, host, tool string, f js.Fields, parts []any) {
	s.Request.Operation = ask.Operation{
		Host: host, Tool: tool, Input: digest(parts),
		Folder: s.Text("cwd", f["cwd"]), Environment: s.Text("environmentId", f["environmentId"]),
	}
	s.Home, _ = js.StringOf(f[Home])
	if n := len([]rune(s.Request.Operation.Folder)); n > maxFolder {
		s.Reject("cwd", ask.ErrTooLong, "has %d characters; the card can show %d", n, maxFolder)
	}
}

// maxFolder is the longest folder that fits a card, in characters.
const maxFolder = 1000

// digest is a hash of the canonical JSON of the values.
func digest(values []any) string {
	data, err := json.Marshal(values)
	if err == nil {
		data, err = strictjson.Canonical(data)
	}
	if err != nil {
		panic("operation: encode value that was decoded before: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// where returns the lines with the folder and the environment of the call.
func where(s *question.Set) string {
	var all []string
	if folder := s.Request.Operation.Folder; folder != "" {
		all = append(all, "In "+preview.Folder(folder, s.Home))
	}
	if environment := s.Request.Operation.Environment; environment != "" {
		all = append(all, "Environment: "+quote.OnOneLine(environment))
	}
	return strings.Join(all, "\n")
}
