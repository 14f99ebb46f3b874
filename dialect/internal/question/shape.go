package question

// Shape names the members of a host's questions. The host documents the first name; models also send the others.
type Shape struct {
	Text, Header, Options, Multi, Label []string
	// Key and OptionKey name the host's IDs of questions and options, which answers refer to.
	Key, OptionKey string
	// OptionKind names the kind of an option.
	OptionKind string
	// Other names a boolean that forbids typed text if it is false. LabelsOnly is set if the host never takes typed
	// text, which makes "Other" an ordinary option.
	Other      string
	LabelsOnly bool
	// Kind names the type of a question.
	Kind string
	// Known members are known to the host and not shown to people.
	Known []string
}

// Claude is the shape of Claude's questions, which most hosts adopted.
var Claude = Shape{
	Text: []string{"question"}, Header: []string{"header"}, Options: []string{"options"},
	Multi: []string{"multiSelect", "multi_select"}, Label: []string{"label"},
}
