package words

// Digest contains the texts of a message that lists what waits. [Inbox.Waiting] is its heading for a person.
type Digest struct {
	// Here is the heading in a channel. Done and DoneHere replace the headings once nothing is left.
	Here           func(n int) string
	Done, DoneHere string
	// AsOf is when the list was made.
	AsOf func(moment string) string
}

var englishDigest = Digest{
	Here: func(n int) string {
		return plural(n, "1 request waits in this channel", say("%d requests wait in this channel", n))
	},
	Done: "Nothing waits for you any more", DoneHere: "Nothing waits in this channel any more",
	AsOf: func(moment string) string { return say("Digest of %s. Answered requests leave the list.", moment) },
}

var germanDigest = Digest{
	Here: func(n int) string {
		return plural(n, "1 Anfrage wartet in diesem Kanal", say("%d Anfragen warten in diesem Kanal", n))
	},
	Done: "Nichts wartet mehr auf dich", DoneHere: "In diesem Kanal wartet nichts mehr",
	AsOf: func(moment string) string {
		return say("Übersicht von %s. Beantwortete Anfragen verschwinden aus der Liste.", moment)
	},
}

var spanishDigest = Digest{
	Here: func(n int) string {
		return plural(n, "1 solicitud espera en este canal", say("%d solicitudes esperan en este canal", n))
	},
	Done: "Ya nada te espera", DoneHere: "Ya nada espera en este canal",
	AsOf: func(moment string) string {
		return say("Resumen: %s. Las solicitudes respondidas salen de la lista.", moment)
	},
}
