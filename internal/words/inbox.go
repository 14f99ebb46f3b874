package words

// Inbox contains the texts of a person's inbox.
type Inbox struct {
	// Title is the heading, with Waiting or Empty behind it.
	Title   string
	Waiting func(n int) string
	Empty   string
	// Shown is the part of a long list on this page.
	Shown func(first, last, of int) string
	// OnCard follows a request that only its card shows in full.
	OnCard string
	// The buttons: to the card, and to read the inbox again.
	Open, Refresh string
	// Decided and Passed are the headings of what the person did. PassedTo names the next person, Pending and
	// Over what has become of the request.
	Decided, Passed string
	PassedTo        func(who string) string
	Pending, Over   string
	// Gone replaces the inbox while the store does not answer.
	Gone string
	// Command describes the slash command and its words, Help is the reply to its help.
	Command, Show, Help string
}

var englishInbox = Inbox{
	Title:   "Your inbox",
	Waiting: func(n int) string { return plural(n, "1 request waits for you", say("%d requests wait for you", n)) },
	Empty:   "nothing waits for you",
	Shown:   func(first, last, of int) string { return say("%d–%d of %d", first, last, of) },
	OnCard:  "Open the card to read it all and answer.",
	Open:    "Open card", Refresh: "Refresh",
	Decided: "You decided", Passed: "You passed on",
	PassedTo: func(who string) string { return say("to %s", who) },
	Pending:  "still open", Over: "closed",
	Gone:    "Could not read your inbox. Please try again.",
	Command: "Your open requests", Show: "Show what waits for you",
	Help: "/askbridge or /askbridge inbox shows what waits for you.\nAnswer there or on the card: both count the same.",
}

var germanInbox = Inbox{
	Title: "Deine Anfragen",
	Waiting: func(n int) string {
		return plural(n, "1 Anfrage wartet auf dich", say("%d Anfragen warten auf dich", n))
	},
	Empty:  "nichts wartet auf dich",
	Shown:  func(first, last, of int) string { return say("%d–%d von %d", first, last, of) },
	OnCard: "Öffne die Karte, um alles zu lesen und zu antworten.",
	Open:   "Karte öffnen", Refresh: "Aktualisieren",
	Decided: "Von dir entschieden", Passed: "Von dir weitergegeben",
	PassedTo: func(who string) string { return say("an %s", who) },
	Pending:  "noch offen", Over: "geschlossen",
	Gone:    "Deine Anfragen ließen sich nicht lesen. Bitte versuch es noch einmal.",
	Command: "Deine offenen Anfragen", Show: "Deine offenen Anfragen zeigen",
	Help: "/askbridge oder /askbridge inbox zeigt deine offenen Anfragen.\nAntworte dort oder auf der Karte: beides zählt gleich.",
}

var spanishInbox = Inbox{
	Title: "Tus solicitudes",
	Waiting: func(n int) string {
		return plural(n, "1 solicitud te espera", say("%d solicitudes te esperan", n))
	},
	Empty:  "nada te espera",
	Shown:  func(first, last, of int) string { return say("%d–%d de %d", first, last, of) },
	OnCard: "Abre la tarjeta para leerlo todo y responder.",
	Open:   "Abrir tarjeta", Refresh: "Actualizar",
	Decided: "Decidiste", Passed: "Pasaste a otra persona",
	PassedTo: func(who string) string { return say("a %s", who) },
	Pending:  "aún abierta", Over: "cerrada",
	Gone:    "No se pudieron leer tus solicitudes. Inténtalo de nuevo.",
	Command: "Tus solicitudes abiertas", Show: "Mostrar tus solicitudes abiertas",
	Help: "/askbridge o /askbridge inbox muestra tus solicitudes abiertas.\nResponde ahí o en la tarjeta: cuenta igual.",
}
