package words

import "time"

// german speaks to people as Slack and Discord do in German: informally.
var german = Words{
	Language: "de",
	Button: Button{
		Submit: "Absenden", Other: "Andere Antwort", Answer: "Antworten", Reply: "Erwidern", Dismiss: "Verwerfen", Back: "Zurück",
		Next: "Weiter", Read: "Ganz lesen", TakeBack: "Stimme zurücknehmen", Undo: "Rückgängig", Claim: "Ich kümmere mich", Pass: "Weitergeben an",
		Ask: "Nachfragen", Skip: "Überspringen", Skipped: "Übersprungen", Note: "Anmerkung",
	},
	Card: Card{
		AnAgent: "Ein Agent",
		Asks: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s fragt", agent), say("%s stellt %d Fragen", agent, questions))
		},
		Asked: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s hat gefragt", agent), say("%s hat %d Fragen gestellt", agent, questions))
		},
		For:      func(person string) string { return say("für %s", person) },
		Until:    func(moment string) string { return say("bis %s", moment) },
		Optional: "Freiwillig", OptionalShort: "(freiwillig)",
		Question: func(number int) string { return say("Frage %d", number) },
		Option:   func(number int) string { return say("Option %d", number) },
		NoText:   "(kein Text)",
		Any:      "Beliebig viele auswählen.", ChooseOne: "Eine auswählen", ChooseAny: "Beliebig viele auswählen",
		ChooseSkip: "Zum Überspringen auswählen", LeaveOut: "Diese Frage offen lassen",
		Chosen: "Ausgewählt:", Typed: "Geschrieben:", Noted: "Anmerkung:",
		ChosenBy:  func(person string) string { return say("Ausgewählt von %s", person) },
		SkippedBy: func(person string) string { return say("Übersprungen von %s", person) },
		Page:      func(page, of int) string { return say("Seite %d von %d", page, of) },
		Answered:  func(questions int) string { return say("%d beantwortet", questions) },
		Notified:  "Benachrichtigt:",
		AndMore:   func(n int) string { return say("und %d weitere", n) },
		Moment:    "02.01.2006, 15:04 UTC",
	},
	People: People{
		Only: func(who string) string { return say("Nur %s kann hier antworten", who) },
		Can:  func(who string) string { return say("Antworten kann: %s", who) },
		You:  "Du kannst antworten", Anyone: "Alle in diesem Kanal können antworten",
		NobodyButAsker: "Hier kann niemand antworten: Wer gefragt hat, entscheidet nicht", Nobody: "Niemand kann antworten",
		IfAlso:   func(who string) string { return say(", und nur, wer auch hierzu gehört: %s", who) },
		NotAsker: ", aber nicht, wer darum gebeten hat",
		NotDirect: func(platform string) string {
			return say(", aber nicht in einer Direktnachricht: %s nennt dort keine Rollen", platform)
		},
		AnyoneHere: "jede Person in diesem Kanal",
		SomebodyOn: func(platform string) string { return say("jemand auf %s", platform) },
		Or:         "oder",
		Others:     func(n int) string { return plural(n, "oder 1 weitere", say("oder %d weitere", n)) },
		User:       func(platform, id string) string { return say("%s-Konto %s", platform, id) },
		Group:      func(platform, id string) string { return say("%s-Gruppe %s", platform, id) },
		Role:       func(platform, id string) string { return say("%s-Rolle %s", platform, id) },
		OnCall:     func(rota string) string { return say("wer Bereitschaft für %s hat", rota) },

		AnotherPlatform: "einer anderen Plattform",
	},
	Vote: Vote{
		Agree: func(need, of int) string {
			return plural(need, say("1%s genügt", vonOf(of)), say("%d%s müssen zustimmen", need, vonOf(of)))
		},
		Most: func(need, of int) string {
			return plural(max(need, 1), "die meisten Stimmen entscheiden", say("die meisten Stimmen entscheiden, ab %d%s", need, vonOf(of)))
		},
		Takes:     func(n int) string { return plural(n, "– eine Stimme genügt", say("braucht %d", n)) },
		ToDismiss: func(n int) string { return say("Zum Verwerfen braucht es %d", n) },
		Hidden:    "Die Stimmen bleiben bis zum Ende verborgen", None: "Noch keine Stimmen",
		Cast:        func(n int) string { return plural(n, "1 Stimme abgegeben", say("%d Stimmen abgegeben", n)) },
		MoreChoices: func(n int) string { return plural(n, "und 1 weitere Antwort", say("und %d weitere Antworten", n)) },
		Against:     "Verwerfen", Skip: "(überspringen)",
	},
	Schedule: Schedule{
		OnIt:     "Kümmert sich:",
		Claim:    func(who, since, until string) string { return say("%s seit %s, bis %s", who, since, until) },
		Reminded: "Erinnert:", Reminder: "Erinnerung:", Passed: "Weitergegeben:", From: "Ab:", Since: "Seit:",
		CanToo:    func(who string) string { return say("auch antworten kann %s", who) },
		NobodyOn:  func(rota string) string { return say("niemand hatte Bereitschaft für %s", rota) },
		Elsewhere: "auch andere können anderswo antworten",
		MorePlaces: func(n int) string {
			return plural(n, "an einem weiteren Ort gefragt", say("an %d weiteren Orten gefragt", n))
		},
		StillWaits: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s wartet noch auf eine Antwort", agent), say("%s wartet noch auf %d Antworten", agent, questions))
		},
	},
	Talk: Talk{
		Revised: func(times int) string {
			return plural(times, "Vom Agenten überarbeitet", say("Vom Agenten %d-mal überarbeitet", times))
		},
		Before: func(n int) string { return plural(n, "1 Nachfrage davor", say("%d Nachfragen davor", n)) },
		Asked:  "hat gefragt:", Agent: "der Agent:", NoReply: "noch keine Antwort",
		Replied:  func(agent string) string { return say("%s hat geantwortet", agent) },
		Question: "Frage:",
		NotTaken: "Der Agent hat die Antwort noch nicht abgeholt.", Taken: "Der Agent hat die Antwort",
		Missing: "Niemand hat die Antwort abgeholt: Vielleicht hört der Agent nicht mehr zu. Sie bleibt aufgehoben.",
		Joined:  func(prompts int) string { return say("%d gleiche Anfragen: Eine Antwort gilt für alle", prompts) },
		Instead: func(what string) string {
			return say("Diese Antwort zählt nicht: Der Agent ist einer anderen gefolgt, „%s“", what)
		},
	},
	Files: Files{
		File: func(name string, bytes int) string {
			return say("Datei: %s, %s\nSHA-256", name, plural(bytes, "1 Byte", say("%d Bytes", bytes)))
		},
		Unshown: func(characters int) string {
			return plural(characters, "das letzte Zeichen steht nur dort", say("die letzten %d Zeichen stehen nur dort", characters))
		},
		Below:   func(code string) string { return say("Die Dateien zur Frage %s, wie ihre Karte sagt:", code) },
		Instead: "Der Agent hat die Frage überarbeitet. Es gelten diese Dateien; was weiter oben steht, gilt nicht mehr.",
		Due:     "Die Dateien sind auf dem Weg hierunter. Sobald sie da stehen, kann geantwortet werden.",
		Missing: "Die Dateien konnten hier nicht hochgeladen werden. Darum kann hier nicht geantwortet werden.",
	},
	Typing: Typing{
		Or:       func(way, what string) string { return say("oder %s %s", way, what) },
		InThread: "im Thread antworten:", AsReply: "auf diese Nachricht antworten (Erwähnung an):",
		Label:  func(code string) string { return say("mit „%s:“ und einer Option im Wortlaut", code) },
		Number: func(code string) string { return say("mit einer Option oder ihrer Nummer (Code %s)", code) },
		Own:    func(code string) string { return say("in eigenen Worten (Code %s)", code) },
		Lines:  func(code string) string { return say("mit einer Zeile je Frage (Code %s)", code) },
	},
	End: End{
		Answered: "Beantwortet", Skipped: "Übersprungen", Replied: "Mit einer Erwiderung geschlossen", Dismissed: "Verworfen",
		Withdrawn: "Vom Agenten zurückgezogen", Expired: "Ohne Antwort abgelaufen", Undecided: "Ohne Entscheidung abgelaufen",
		Replaced: "Durch eine neuere Frage ersetzt", ByVote: "Durch Abstimmung entschieden", Unanswered: "Ohne Antwort geschlossen",
		By:      func(who string) string { return say("von %s", who) },
		On:      func(who string) string { return say("auf %s", who) },
		OverAPI: "über die API",
		LeftOut: "übersprungen", NotAnswered: "nicht beantwortet", Typed: "geschrieben:",
		Note: "Anmerkung:", Reply: "Erwiderung:", Reason: "Grund:",
		NobodyInTime: "niemand hat rechtzeitig geantwortet", Tie: "Gleichstand", Unknown: "diese Frage ist nicht mehr bekannt",
		Elsewhere: "die Frage steht auf einer anderen Karte",
		Quorum:    func(have, need int) string { return say("nötige Stimmen: %d von %d", have, need) },
		Undoable: func(seconds int) string {
			return say("noch %s lang rückgängig zu machen", plural(seconds, "1 Sekunde", say("%d Sekunden", seconds)))
		},
		UndoableUntil: func(moment string) string { return say("bis %s rückgängig zu machen", moment) },
		Handed: func(times int, moment string) string {
			return say("dem Agenten %s gegeben, der dasselbe gefragt hat, %s", plural(times, "noch einmal", say("noch %d-mal", times)), moment)
		},
	},
	Form: Form{
		Submit: "Absenden", Send: "Senden", Save: "Speichern", Close: "Schließen", Cancel: "Abbrechen",
		YourAnswer: "Deine Antwort", YourReply: "Deine Erwiderung", OtherAnswer: "Andere Antwort", Note: "Anmerkung",
		NoteHint:    "Geht neben der Antwort an den Agenten und ist selbst keine.",
		ReplyHint:   "Tritt an die Stelle aller Antworten und beendet die Fragen.",
		BesideHint:  "Zählt zusammen mit dem, was ausgewählt ist.",
		InsteadHint: "Tritt an die Stelle einer ausgewählten Option.",
		ReplyVoteHint: func(people int) string {
			return say("Tritt an die Stelle deiner Antworten. Zum Beenden braucht es %d Personen.", people)
		},
		DismissOne: "Frage verwerfen?", DismissAll: "Fragen verwerfen?", Dismiss: "Verwerfen", KeepOpen: "Offen lassen",
		DismissHint: "Leer lassen, oder schreiben, was der Agent anstelle einer Antwort erfährt.",
		NobodyAfter: "Danach kann niemand mehr antworten.",
		NoWords:     "Der Agent erfährt keinen Grund: Sein Werkzeug hat keinen Platz dafür.",
		TakesToDismiss: func(people int) string {
			return say("Zum Verwerfen braucht es %d Personen.", people)
		},
		Answer: "Antworten", CannotShow: "Diese Fragen können gerade nicht gezeigt werden. Bitte versuch es noch einmal.",
		AnswerMany:   func(questions int) string { return say("%d Fragen beantworten", questions) },
		AnswerNumber: func(question int) string { return say("Frage %d beantworten", question) },
		AnswerFrom:   func(first, last int) string { return say("Fragen %d–%d beantworten", first, last) },
		OrWrite:      func(choose string) string { return say("%s, oder unten selbst antworten", choose) },
		PassTitle:    "Frage weitergeben", Pass: "Weitergeben", PassTo: "Wer an deiner Stelle antwortet", ChoosePerson: "Eine Person auswählen",
		PassHint: "Die Person erfährt davon. Du kannst dann nicht mehr antworten, und sie kommt nicht zu dir zurück.",
		AskAgent: "Den Agenten fragen", YourQuestion: "Deine Frage",
		AskHint:     "Beantwortet nichts. Der Agent erfährt es, und alle, die die Karte sehen.",
		AskEndsHint: "Tritt an die Stelle einer Antwort und beendet die Fragen: Der Agent kann neu fragen.",
	},
	Note: Note{
		Unknown:   "Diese Frage ist hier nicht mehr bekannt. Es wurde nichts gespeichert.",
		Foreign:   "Diese Frage ist hier nicht bekannt. Es wurde nichts gespeichert. Kümmert sich eine andere Bridge darum, dann drück bitte noch einmal.",
		Trying:    "Deine Antwort konnte nicht gespeichert werden: Sie zählt noch nicht. Wir versuchen es weiter …",
		Rescued:   "Jetzt gespeichert: Deine Antwort zählt.",
		Unchecked: "Ob du diese Frage beantworten darfst, ließ sich nicht prüfen: Es wurde nichts gespeichert. Bitte versuch es gleich noch einmal.",
		Thin:      "Gespeichert, aber noch nicht auf einen zweiten Rechner kopiert: Fällt der erste jetzt aus, kann es verloren gehen. Sieh bald noch einmal nach der Karte.",
		TryAgain:  "Deine Antwort konnte nicht gespeichert werden: Es wurde nichts festgehalten. Bitte versuch es gleich noch einmal.",

		Elsewhere:  "Das ist nicht die Karte, die zu der Frage gehört. Es wurde nichts gespeichert: Bitte benutz die Karte selbst.",
		Hasty:      "Die Auswahl hat sich geändert, seit du „Absenden“ gedrückt hast. Es wurde nichts gesendet: Bitte sieh sie dir an und sende sie noch einmal.",
		Final:      "Du hast abgestimmt, und Stimmen zu dieser Frage lassen sich nicht ändern. Es wurde nichts gespeichert.",
		Unvoted:    "Du hast zu dieser Frage nicht abgestimmt. Es gibt also nichts zurückzunehmen.",
		Decided:    "Das ist entschieden, und wer entschieden hat, kann es noch rückgängig machen.",
		PleaseWait: "Es wurde nichts gespeichert: Bitte warte einen Moment.",
		Undone:     "Rückgängig gemacht: Der Agent hat nichts erfahren, und die Frage ist wieder offen.",
		UndoneOver: "Rückgängig gemacht: Der Agent hat nichts davon erfahren. Die Zeit zum Antworten ist vorbei, darum kann niemand mehr antworten.",
		Unheld:     "Hier gibt es nichts rückgängig zu machen.",
		Theirs:     "Nur wer entschieden hat, kann es rückgängig machen. Es wurde nichts geändert.",
		Overtaken:  "Seit du das geschrieben hast, wurde entschieden und rückgängig gemacht. Es wurde nichts gespeichert: Bitte schreib es noch einmal, wenn du es meinst.",
		Outdated:   "Der Agent hat diese Frage überarbeitet, seit diese Karte gezeichnet wurde. Es wurde nichts gespeichert: Bitte sieh sie dir noch einmal an.",
		AskedAgent: "Deine Frage ist unterwegs zum Agenten. Die Karte zeigt, was er antwortet, und wartet so lange auf eine Antwort.",
		Unshown:    "Die Dateien zu dieser Frage stehen noch nicht unter der Karte. Es wurde nichts gespeichert: Bitte versuch es, sobald sie da sind.",
		Enough:     "Der Agent wurde hierzu so oft gefragt, wie es geht. Es wurde nichts gesendet.",
		NoControl:  "Dieses Bedienelement gehört nicht mehr zu dieser Frage. Es wurde nichts gespeichert.",

		NotYours:  "Diese Frage kannst du nicht beantworten. Es wurde nichts gespeichert. Sie ist für:",
		YourOwn:   "Du hast selbst darum gebeten. Entscheiden muss jemand anderes. Es wurde nichts gespeichert.",
		Workspace: "Das können nur Leute aus diesem Workspace beantworten. Es wurde nichts gespeichert.",

		PassedOn:     "Du hast diese Frage weitergegeben. Antworten muss jemand anderes. Es wurde nichts gespeichert. Sie ist für:",
		ToNobody:     "Bitte wähl eine Person aus.",
		ToThemselves: "Das bist du selbst.",
		ToBarred:     "Diese Person darf die Frage nicht beantworten.",
		ToUnknown:    "Ob diese Person antworten darf, ließ sich nicht prüfen: Bitte versuch es gleich noch einmal.",
		ToPasser:     "Diese Person hat sie weitergegeben. Sie kann nicht zu ihr zurück.",
		ToVoter:      "Diese Person stimmt schon darüber ab.",
		ToApart:      "Dann ließen sich weniger Abstimmende unterscheiden, als nötig sind: Wer diese Person auf der anderen Plattform ist, ist nicht bekannt.",
		HasVoted:     "Du hast abgestimmt: Nimm erst deine Stimme zurück.",
		TooOften:     "Sie wurde so oft weitergegeben, wie es geht.",
		Unchanged:    "Es wurde nichts geändert.",

		Empty:          "Die Erwiderung ist leer. Es wurde nichts gesendet.",
		NothingChosen:  "Noch ist nichts ausgewählt. Es wurde nichts gesendet: Beantworte eine Frage oder überspring eine.",
		WriteSomething: "Bitte schreib etwas.",
		AnswerOrSkip:   "Bitte beantworte eine Frage oder überspring eine.",
		ChooseOrWrite:  "Bitte wähl eine Antwort aus oder schreib eine.",
		Missing:        func(questions string) string { return say("Es fehlt noch: %s. Es wurde nichts gesendet.", questions) },
		LeftOut: func(questions string) string {
			return say("Es fehlt noch: %s. Deine Auswahl bleibt erhalten, und gesendet ist noch nichts.", questions)
		},

		Noted: func(question, text string) string {
			return say("Vorgemerkt für %s: %s. Zum Senden drück „Absenden“ auf der Karte.", question, text)
		},
		Replaces: "Es ersetzt deine Auswahl dort, bis du wieder eine triffst.",
		Annotated: func(question, text string) string {
			return say("Deine Anmerkung zu %s: %s. Sie geht mit der Antwort, die noch auszuwählen und zu senden ist.", question, text)
		},
		Unannotated: func(question string) string { return say("Deine Anmerkung zu %s ist entfernt.", question) },
		Quote:       func(text string) string { return say("„%s“", text) },
	},
	Closed: Closed{
		Late: func(ago string) string {
			return say("Zu spät: Die Zeit zum Antworten ist seit %s vorbei. Es wurde nichts gespeichert.", ago)
		},
		Expired: func(ago string) string {
			return say("Diese Frage ist seit %s abgelaufen. Es wurde nichts gespeichert.", ago)
		},
		TooLateToUndo: "Zu spät, um es rückgängig zu machen.",
		Answered:      func(who, what string) string { return say("Schon beantwortet von %s: %s.", who, what) },
		Replied:       func(who, what string) string { return say("%s hat anstelle einer Antwort erwidert: %s.", who, what) },
		Decided:       func(what string) string { return say("Schon durch Abstimmung entschieden: %s.", what) },
		Skipped:       func(who string) string { return say("Schon übersprungen von %s.", who) },
		Dismissed:     func(who string) string { return say("%s hat diese Frage verworfen. Es wurde nichts gespeichert.", who) },
		Withdrawn:     "Der Agent hat diese Frage zurückgezogen. Es wurde nichts gespeichert.",
		Replaced:      "Eine neuere Frage hat diese ersetzt. Es wurde nichts gespeichert.",
		Otherwise:     "Diese Frage ist geschlossen. Es wurde nichts gespeichert.",
		Ago: func(d time.Duration) string {
			return ago(d, "einem Moment",
				func(n int) string { return say("%d Sekunden", n) }, func(n int) string { return say("%d Minuten", n) },
				func(n int) string { return say("%d Stunden", n) }, func(n int) string { return say("%d Tagen", n) })
		},
	},
	Voted: Voted{
		Kept: "Deine Auswahl bleibt erhalten. Deine Stimme zählt, sobald jede Frage eine Antwort hat.",
		Noted: func(question, choice string) string {
			return say("Vorgemerkt für %s: %s. Zum Abstimmen drück „Absenden“ auf der Karte.", question, choice)
		},
		Skipped: "übersprungen", Nothing: "nichts",
		Counts:     func(choice string) string { return say("Deine Stimme zählt: %s.", choice) },
		ToDismiss:  "Deine Stimme fürs Verwerfen zählt.",
		Changeable: "Du kannst sie ändern, bis entschieden ist.",
		TakenBack:  "Deine Stimme ist zurückgenommen.",
	},
	Heard: Heard{
		Unbound:  "Hier ist keine Frage offen, die du mit einer Nachricht beantworten kannst. Es wurde nichts gespeichert.",
		Withheld: "Dieser Bot kann eine Antwort nicht lesen, die ihn nicht erwähnt. Es wurde nichts gespeichert: Antworte bitte mit eingeschalteter Erwähnung (@), oder benutz die Karte.",
		Answer:   func(who, what string) string { return say("Als Antwort von %s verstanden: %s.", who, what) },
		Vote:     func(who, what string) string { return say("Als Stimme von %s verstanden: %s.", who, what) },
		Skipped:  "übersprungen",
		Several: func(codes string) string {
			return say("Hier sind mehrere Fragen offen, darum wurde nichts gespeichert. Beginn mit dem Code der Frage, die du meinst: %s.", codes)
		},
		CodeFor:  func(code, question string) string { return say("„%s: …“ für %s", code, question) },
		NotTaken: "Das wurde nicht als Antwort verstanden.", ManyWays: "Das lässt sich auf mehr als eine Art lesen.",
		NothingRecorded: "Es wurde nichts gespeichert.", VoteGone: "Deine Stimme ist zurückgenommen, denn die Nachricht sagt sie nicht mehr.",
		AnswerGone: "Deine Antwort ist zurückgenommen, denn die Nachricht sagt sie nicht mehr.",
		UseCard:    "Bitte benutz die Karte.",
		WholeLabel: func(code, label string) string {
			return say("Hier zählt nur eine Option im Wortlaut hinter dem Code, etwa „%s: %s“.", code, label)
		},
		OwnWords: func(code string) string {
			return say("Um in eigenen Worten zu antworten, antworte auf die Karte selbst oder beginn mit „%s: “.", code)
		},
		EachLine: func(questions int) string {
			return say("Es braucht eine Antwort auf jede der %d Fragen: je eine Zeile, in ihrer Reihenfolge.", questions)
		},
		OneOf: func(options string) string { return say("Antworte mit einem davon und nichts sonst: %s.", options) },
		SomeOf: func(options string) string {
			return say("Antworte mit einigen davon, durch Kommas getrennt, und nichts sonst: %s.", options)
		},
		SkipWith: func(word string) string {
			return say("Schreib „%s“, um eine freiwillige Frage zu überspringen.", word)
		},
		OwnWith: func(word string) string {
			return say("Schreib „%s: …“, um in eigenen Worten zu antworten.", word)
		},
	},
	Reply: Reply{
		NotOpened:      "Das Formular ließ sich nicht öffnen. Bitte drück die Schaltfläche noch einmal.",
		Broken:         "Bei uns ist etwas schiefgegangen. Bitte versuch es noch einmal.",
		Late:           "Das dauert zu lange. Wir wissen nicht, ob es gespeichert wurde. Bitte versuch es noch einmal.",
		Arrived:        "Jetzt ist es angekommen.",
		ArrivedClose:   "Jetzt ist es angekommen. Du kannst dieses Fenster schließen.",
		ArrivedDeleted: "Es ist angekommen. Die Karte, die du benutzt hast, wurde inzwischen gelöscht.",
		Busy:           "Gerade ist zu viel los, darum wurde das nicht gespeichert. Bitte versuch es gleich noch einmal.",
		Title:          "Hinweis", Close: "Schließen",
		ForYou: func(person string) string {
			return say("%s, diese Frage ist für dich. Sie steht hier, weil deine Direktnachrichten für diesen Bot geschlossen sind.", person)
		},
	},
}

func vonOf(of int) string {
	if of == 0 {
		return ""
	}
	return say(" von %d", of)
}
