package ask

// OriginPeople is the entry in the responders of a route that stands for the [Origin.People] of a
// request. No other list can contain it.
const OriginPeople = "origin"

// Origin is the conversation in which the agent works. A route can send the question back to it, see
// [Request.Origin].
type Origin struct {
	// Place is the channel, thread or direct message.
	Place

	// People are the people of the conversation, such as the one who gave the agent its task, as in
	// "slack:U0000001". They are notified of the card there.
	People []string `json:"people,omitempty" nullable:"false" maxItems:"20" doc:"The people of the conversation, who are notified there: <platform>:<id>. It does not allow them to answer, unless the route says so." example:"[\"slack:U0000001\"]"`
	// Language is the language of the conversation, for the card's own texts.
	Language string `json:"language,omitempty" doc:"The language of the conversation, for the card's own texts" example:"de"`
}

// IsZero reports whether there is no origin, which [encoding/json] omits.
func (o Origin) IsZero() bool { return o.Place == (Place{}) && o.People == nil && o.Language == "" }
