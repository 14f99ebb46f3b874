package chatsim

// File is something an app uploaded, or a person did, as the platform keeps it.
type File struct {
	ID      string
	Name    string // with its extension, as it was uploaded
	Title   string // what people read in place of the name; "" on Discord
	Alt     string // what a screen reader says of it
	Channel string // where people first saw it; "" for nowhere yet
	Thread  string // the message whose thread it went into; "" for the channel itself
	Message string // the message it hangs on; "" for none yet
	Content []byte
}
