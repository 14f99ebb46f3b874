package ask

// MessageRef identifies a posted message. Two references are equal if and only if
// they identify the same message.
type MessageRef struct {
	Platform string
	// Installation is the scope of Channel and Message, as in [Place]; empty for the
	// only one.
	Installation string
	Channel      string
	Message      string
}

// Missed is a person or group that a card could not notify, and why.
type Missed struct{ Who, Why string }
