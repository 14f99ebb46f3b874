package chatsim

// File is an uploaded file as stored by the platform.
type File struct {
	ID      string
	Name    string // original name with extension
	Title   string // displayed instead of the name; "" on Discord
	Alt     string // text for screen readers
	Channel string // where it was first shared; "" for nowhere yet
	Thread  string // the message in whose thread it was shared; "" for the channel itself
	Message string // the message it is attached to; "" for none yet
	Content []byte
}
