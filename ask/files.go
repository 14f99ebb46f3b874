package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// The limits of files. A Discord message holds up to ten
// (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json, 30015). Both
// platforms accept larger files: 10 MiB on Discord
// (https://docs.discord.com/developers/reference#uploading-files), more on Slack. All files
// together must fit into one API request body, escape sequences included.
const (
	MaxFiles    = 5
	MaxFileName = 60
	// MaxFileText is the maximum total size of all file texts, in bytes.
	MaxFileText = 512 << 10
)

// File is a text too long for a card, such as a diff. It is uploaded below the card, which
// shows its digest.
type File struct {
	Name string `json:"name" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$" maxLength:"60" doc:"The file name; its extension determines the type" example:"change.diff"`
	Text string `json:"text" minLength:"1" doc:"What is in it, byte for byte" example:"-a\n+b\n"`
	// Unshown is copied to the [Attachment]; [Request.Enclose] sets it.
	Unshown int `json:"-"`
}

// Attachment describes an uploaded file on a card and in the record.
type Attachment struct {
	Name  string `json:"name" doc:"What the file is called" example:"change.diff"`
	Bytes int    `json:"bytes" doc:"How long it is" example:"6"`
	// SHA256 is the hexadecimal digest of the file's bytes.
	SHA256 string `json:"sha256" doc:"The SHA-256 of its bytes, in hexadecimal" example:"be5a392951db0e477c12609c2788330a6963b56fc291090a62cd81e83c5ed78c"`
	// Unshown is the number of characters that the card cuts off at the end of the text; zero
	// for a file of which the card shows nothing.
	Unshown int `json:"unshown,omitempty" doc:"How many characters at its end the card cuts off; absent for a file of which the card shows nothing"`
}

// Attachment returns the file's description.
func (f File) Attachment() Attachment {
	sum := sha256.Sum256([]byte(f.Text))
	return Attachment{Name: f.Name, Bytes: len(f.Text), SHA256: hex.EncodeToString(sum[:]), Unshown: f.Unshown}
}

// Attachments returns the descriptions of files; nil for none.
func Attachments(files []File) []Attachment {
	var all []Attachment
	for _, f := range files {
		all = append(all, f.Attachment())
	}
	return all
}

// fileName matches names that both platforms keep unchanged. Discord rewrites names with other
// characters.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// CheckFiles validates files; problems are reported at path.
func CheckFiles(path string, files []File) []Problem {
	var c checker
	if len(files) > MaxFiles {
		c.add(path, ErrFiles, "has %d files; at most %d are allowed", len(files), MaxFiles)
	}
	total := 0
	first := map[string]int{}
	for n, f := range files {
		at := fmt.Sprintf("%s[%d]", path, n)
		switch other, taken := first[f.Name]; {
		case !fileName.MatchString(f.Name):
			c.add(at+".name", ErrFiles, "must be a plain name such as \"change.diff\": letters, digits, dots, dashes and underscores, a letter or digit first")
		case len(f.Name) > MaxFileName:
			c.add(at+".name", ErrFiles, "has %d characters; at most %d are allowed", len(f.Name), MaxFileName)
		case taken:
			c.add(at+".name", ErrFiles, "is that of %s[%d] too", path, other)
		default:
			first[f.Name] = n
		}
		switch {
		case f.Text == "":
			c.add(at+".text", ErrFiles, "must not be empty")
		case !utf8.ValidString(f.Text):
			c.add(at+".text", ErrFiles, "must be UTF-8")
		}
		total += len(f.Text)
	}
	if total > MaxFileText {
		c.add(path, ErrFiles, "have %d bytes together; at most %d are allowed", total, MaxFileText)
	}
	return c.problems
}

func (d *decoder) files(path string, data json.RawMessage) []File {
	return listed(d, path, data, "a list of files", func(at string, m members) File {
		return File{Name: d.text(at+".name", m.take("name")), Text: d.text(at+".text", m.take("text"))}
	})
}
