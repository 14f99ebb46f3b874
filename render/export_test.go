package render

// The parsers of agents' texts, and what truncates them.
var (
	Prose    = prose
	Markdown = markdown
	CutSpans = cutSpans
)
