package ask

import "encoding/json"

// Source is where the agent works, such as a run, a pull request or a session. The first line of the
// card links to it.
type Source struct {
	Title string `json:"title" doc:"The text of the link" example:"billing, run 42"`
	URL   string `json:"url" format:"uri" doc:"Where it leads: an https address" example:"https://ci.example.com/billing/runs/42"`
}

// IsZero reports whether there is no source, which [encoding/json] omits.
func (s Source) IsZero() bool { return s == Source{} }

// CheckSource validates a source, by the rules for a [Link]; problems are reported at path.
func CheckSource(path string, s Source) []Problem {
	var c checker
	if !s.IsZero() {
		c.link(path+".title", s.Title, path+".url", s.URL, ErrSource)
	}
	return c.problems
}

func (d *decoder) source(path string, data json.RawMessage) (s Source) {
	if data = d.unquote(path, data); empty(data) {
		return s
	}
	if m, ok := d.object(path, data); ok {
		s = Source{Title: d.text(path+".title", m.take("title")), URL: d.text(path+".url", m.take("url"))}
		d.rest(path, m)
	}
	return s
}
