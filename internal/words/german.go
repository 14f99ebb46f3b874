package words

import "time"

// german speaks to people as Slack and Discord do in German: informally.
var german = Words{
	Language:   "de",
	Permission: germanPermission,
	Inbox:      germanInbox,
	Digest:     germanDigest,
	Button: Button{
		Submit: "Absenden", Other: "Andere Antwort", Answer: "Antworten", Back: "Zurück", Next: "Weiter", Read: "Ganz lesen",
		Claim: "Ich kümmere mich", More: "Mehr", Skip: "Überspringen", Skipped: "Übersprungen",
		Reply: "Mit eigenem Text antworten", Ask: "Agenten fragen", Note: "Anmerkung hinzufügen", Pass: "Weitergeben an",
		TakeBack: "Stimme zurücknehmen", Undo: "Rückgängig", Dismiss: "Verwerfen", Details: "Details",
		NoteTo: func(question int) string { return say("Anmerkung zu %d", question) },
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
		Until:    func(moment string) string { return say("endet %s", moment) },
		Optional: "Freiwillig", OptionalShort: "(freiwillig)",
		Question: func(number int) string { return say("Frage %d", number) },
		Option:   func(number int) string { return say("Option %d", number) },
		NoText:   "(kein Text)",
		Any:      "Beliebig viele auswählen.", ChooseOne: "Eine auswählen", ChooseAny: "Beliebig viele auswählen",
		ChooseSkip: "Zum Überspringen auswählen", LeaveOut: "Diese Frage offen lassen",
		Chosen: "Ausgewählt:", Typed: "Geschrieben:", Noted: "Anmerkung:",
		ChosenBy:  func(person string) string { return say("Ausgewählt von %s", person) },
		SkippedBy: func(person string) string { return say("Übersprungen von %s", person) },
		ByButton:  func(labels string) string { return say("Antworte mit einer Schaltfläche: %s.", labels) },
		ByButtons: "Antworte mit den Schaltflächen.", ByList: "Wähl aus der Liste.", BySubmit: "Wähl auf der Karte, dann drück „Absenden“.",
		ByForm: "Drück „Antworten“ und füll das Formular aus.", ByText: "Drück die Schaltfläche und schreib deine Antwort.",
		Page:     func(page, of int) string { return say("Seite %d von %d", page, of) },
		Answered: func(questions int) string { return say("%d beantwortet", questions) },
		Notified: "Benachrichtigt:",
		AndMore:  func(n int) string { return say("und %d weitere", n) },
		Moment:   "02.01.2006, 15:04 UTC",
	},
	People: People{
		Only: func(who string, n int) string {
			return plural(n, say("Nur %s kann antworten", who), say("Nur %s können antworten", who))
		},
		OnlyHere: func(who string) string { return say("Hier kann nur %s antworten", who) },
		Can:      func(who string) string { return say("Antworten können: %s", who) },
		HereOr:   func(platforms string) string { return say(", hier oder auf %s", platforms) },
		On:       func(platforms string) string { return say(", auf %s", platforms) },
		You:      "Du kannst antworten", Anyone: "Alle hier können antworten", Nobody: "Niemand kann antworten",
		NobodyHere:     "Hier kann niemand antworten",
		NobodyButAsker: "Hier kann niemand antworten: Anfragende entscheiden nicht selbst",
		HiddenGroups: func(platform string) string {
			return say("Hier kann niemand antworten: %s zeigt keine Rollen in Direktnachrichten", platform)
		},
		Must:  func(who string) string { return say("nur aus dieser Liste: %s", who) },
		But:   func(who string) string { return say(", außer %s", who) },
		Asker: "der anfragenden Person",
		People: func(n int, platform string) string {
			return say("%d %s auf %s", n, plural(n, "Person", "Personen"), platform)
		},
		MorePeople: func(n int, platform string) string {
			return say("%d weitere %s auf %s", n, plural(n, "Person", "Personen"), platform)
		},
		Groups: func(n int, platform string) string {
			return say("%d %s auf %s", n, plural(n, "Gruppe", "Gruppen"), platform)
		},
		Or:     "oder",
		Others: func(n int) string { return say("%d weitere", n) },
		User:   func(platform, id string) string { return say("%s-Konto %s", platform, id) },
		Group:  func(platform, id string) string { return say("%s-Gruppe %s", platform, id) },
		Role:   func(platform, id string) string { return say("%s-Rolle %s", platform, id) },
		OnCall: func(rota string) string { return say("Bereitschaft %s", rota) },

		AnotherPlatform: "einer anderen Plattform",
	},
	Vote: Vote{
		Agree: func(need, of int) string {
			if need == of && of > 1 {
				return say("alle %d müssen zustimmen", of)
			}
			return plural(need, say("1%s genügt", vonOf(of)), say("%d%s müssen zustimmen", need, vonOf(of)))
		},
		Most: func(need, of int) string {
			return plural(max(need, 1), "die Mehrheit entscheidet", say("die Mehrheit entscheidet, mindestens %d%s", need, vonOf(of)))
		},
		Takes:       func(n int) string { return plural(n, "– eine Stimme genügt", say("braucht %d", n)) },
		ToDismiss:   func(n int) string { return say("Verwerfen braucht %d", n) },
		Hidden:      "Die Stimmen bleiben bis zum Ende geheim",
		Cast:        func(n, of int) string { return say("%d%s %s abgestimmt", n, vonOf(of), plural(n, "hat", "haben")) },
		Of:          func(have, need int) string { return say("%d von %d", have, need) },
		Waiting:     func(who string) string { return say("Noch nicht abgestimmt: %s", who) },
		MoreChoices: func(n int) string { return plural(n, "und 1 weitere Antwort", say("und %d weitere Antworten", n)) },
		Against:     "Verwerfen", Skip: "(überspringen)",
	},
	Schedule: Schedule{
		OnIt:      "Kümmert sich:",
		Claim:     func(who, since, until string) string { return say("%s seit %s, bis %s", who, since, until) },
		Passed:    "Weitergegeben:",
		AlsoAsked: func(who string) string { return say("auch %s gefragt", who) },
		AlsoIn:    func(places string) string { return say("auch %s gefragt", places) },
		Places:    func(n int) string { return plural(n, "an einem weiteren Ort", say("an %d weiteren Orten", n)) },
		Elsewhere: "andere anderswo",
		NobodyOn:  func(rota string) string { return say("niemand hatte Bereitschaft für %s", rota) },
		Reminded:  "erinnert", Next: "Als Nächstes:", Then: "Danach:", Reminder: "Erinnerung",
		Waiting: func(agent string) string { return say("Erinnerung: %s wartet", agent) },
	},
	Details: Details{
		Request: func(id string) string { return say("Anfrage: %s", id) },
		Agent:   func(name string) string { return say("Agent: %s", name) },
	},
	Talk: Talk{
		Revised: func(times int) string {
			return plural(times, "Vom Agenten überarbeitet", say("Vom Agenten %d-mal überarbeitet", times))
		},
		Before: func(n int) string { return plural(n, "1 Nachfrage davor", say("%d Nachfragen davor", n)) },
		Asked:  "hat gefragt:", Agent: "der Agent:", NoReply: "noch keine Antwort",
		Replied:  func(agent string) string { return say("%s hat geantwortet", agent) },
		Question: "Frage:",
		NotTaken: func(agent string) string { return say("%s hat die Antwort noch nicht", agent) },
		Taken:    func(agent string) string { return say("%s hat die Antwort", agent) },
		Missing: func(agent string) string {
			return say("Kein Lebenszeichen von %s. Die Antwort bleibt gespeichert.", agent)
		},
		Joined: func(prompts int) string { return say("%d gleiche Anfragen: Eine Antwort gilt für alle", prompts) },
		Instead: func(agent, what string) string {
			return say("Diese Antwort zählt nicht: %s hat eine andere genutzt, „%s“", agent, what)
		},
	},
	Files: Files{
		File:  func(name, size string) string { return say("%s (%s), sha256", name, size) },
		Whole: func(name, size string) string { return say("Ganzer Text: %s (%s), sha256", name, size) },
		Size:  func(bytes int) string { return size(bytes, ",", "1 Byte", "Bytes") },
		Unshown: func(characters int) string {
			return plural(characters, "letztes Zeichen nur in der Datei", say("letzte %d Zeichen nur in der Datei", characters))
		},
		Instead: "Der Agent hat die Frage überarbeitet. Nur diese Dateien gelten jetzt.",
		Due:     "Die Dateien werden hochgeladen. Gleich kannst du antworten.",
		Missing: "Die Dateien ließen sich nicht hochladen. Hier kannst du nicht antworten.",
	},
	Typing: Typing{
		Or:       func(way, what string) string { return say("oder %s %s", way, what) },
		InThread: "im Thread antworten:", AsReply: "auf diese Nachricht antworten (Erwähnung an):",
		Number: "mit einer Option oder ihrer Nummer", Own: "in eigenen Worten", Lines: "mit einer Zeile je Frage",
		Coded: func(what, code string) string { return say("%s, nach „%s:“", what, code) },
		Label: func(code string) string { return say("mit „%s:“ und einer Option im Wortlaut", code) },
	},
	End: End{
		Answered: "Beantwortet", Skipped: "Übersprungen", Replied: "Mit einer Erwiderung geschlossen", Dismissed: "Verworfen",
		Withdrawn: "Vom Agenten zurückgezogen", Expired: "Ohne Antwort abgelaufen", Undecided: "Ohne Entscheidung abgelaufen",
		Replaced: "Durch eine neuere Frage ersetzt", ByVote: "Durch Abstimmung entschieden", Unanswered: "Ohne Antwort geschlossen",
		By:        func(who string) string { return say("von %s", who) },
		On:        func(who string) string { return say("auf %s", who) },
		OverAPI:   "über die API",
		NotChosen: "nicht gewählt:",
		LeftOut:   "übersprungen", NotAnswered: "nicht beantwortet", Typed: "geschrieben:",
		Note: "Anmerkung:", Reply: "Erwiderung:", Reason: "Grund:",
		NobodyInTime: "keine Antwort in der Zeit", Tie: "Gleichstand", Unknown: "diese Frage ist nicht mehr bekannt",
		Elsewhere: "die Frage ist auf einer anderen Karte",
		Quorum:    func(have, need int) string { return say("nötige Stimmen: %d von %d", have, need) },
		Undoable: func(seconds int) string {
			return say("noch %s lang rückgängig zu machen", plural(seconds, "1 Sekunde", say("%d Sekunden", seconds)))
		},
		UndoableUntil: func(moment string) string { return say("bis %s rückgängig zu machen", moment) },
		Handed: func(times int, moment string) string {
			return say("%s für gleiche Anfragen genutzt, zuletzt %s", plural(times, "einmal", say("%d-mal", times)), moment)
		},
	},
	Form: Form{
		Submit: "Absenden", Send: "Senden", Save: "Speichern", Close: "Schließen", Cancel: "Abbrechen",
		YourAnswer: "Deine Antwort", YourReply: "Deine Erwiderung", OtherAnswer: "Andere Antwort", Note: "Anmerkung",
		NoteHint:    "Geht mit der Antwort an den Agenten. Allein beantwortet sie nichts.",
		ReplyHint:   "Ersetzt alle Antworten und beendet die Fragen.",
		BesideHint:  "Zählt zusammen mit deiner Auswahl.",
		InsteadHint: "Ersetzt deine Auswahl.",
		ReplyVoteHint: func(people int) string {
			return say("Ersetzt deine Antworten. Das Beenden braucht %d Personen.", people)
		},
		ConfirmChoice: "Antwort bestätigen", Confirm: "Bestätigen", YouChoose: "Deine Wahl:",
		DismissOne: "Frage verwerfen?", DismissAll: "Fragen verwerfen?", Dismiss: "Verwerfen", KeepOpen: "Offen lassen",
		Reason:      "Grund",
		DismissHint: "Der Agent bekommt diesen Text statt einer Antwort.",
		NobodyAfter: "Danach kann niemand mehr antworten.",
		NoWords:     "Der Agent kann keinen Grund empfangen.",
		TakesToDismiss: func(people int) string {
			return say("Das Verwerfen braucht %d Personen.", people)
		},
		Answer: "Antworten", CannotShow: "Diese Fragen ließen sich nicht zeigen. Bitte versuch es noch einmal.",
		AnswerMany:   func(questions int) string { return say("%d Fragen beantworten", questions) },
		AnswerNumber: func(question int) string { return say("Frage %d beantworten", question) },
		AnswerFrom:   func(first, last int) string { return say("Fragen %d–%d beantworten", first, last) },
		OrWrite:      func(choose string) string { return say("%s, oder unten selbst antworten", choose) },
		PassTitle:    "Frage weitergeben", Pass: "Weitergeben", PassTo: "Neue Person für die Antwort", ChoosePerson: "Eine Person auswählen",
		PassHint: "Wir benachrichtigen die Person. Du bekommst die Frage nicht zurück.",
		AskAgent: "Den Agenten fragen", YourQuestion: "Deine Frage",
		AskHint:     "Keine Antwort. Der Agent und alle hier können sie lesen.",
		AskEndsHint: "Beendet die Fragen ohne Antwort. Der Agent kann neu fragen.",
	},
	Note: Note{
		Unknown:   "Diese Frage ist hier nicht mehr bekannt. Es wurde nichts gespeichert.",
		Foreign:   "Diese Frage ist hier nicht bekannt. Es wurde nichts gespeichert.\nBitte drück noch einmal.",
		Trying:    "Deine Antwort ist noch nicht gespeichert. Wir versuchen es weiter …",
		Rescued:   "Jetzt gespeichert: Deine Antwort zählt.",
		Unchecked: "Deine Berechtigung ließ sich nicht prüfen. Es wurde nichts gespeichert.\nBitte versuch es noch einmal.",
		Thin:      "Nur auf einem Rechner gespeichert. Bitte prüf die Karte später noch einmal.",
		TryAgain:  "Deine Antwort ließ sich nicht speichern.\nBitte versuch es noch einmal.",

		Elsewhere:  "Das ist nicht die echte Karte. Es wurde nichts gespeichert.\nBitte benutz das Original.",
		Hasty:      "Die Auswahl hat sich geändert. Es wurde nichts gesendet.\nBitte prüf sie und sende noch einmal.",
		Final:      "Du hast abgestimmt, und Stimmen sind hier endgültig.\nEs wurde nichts gespeichert.",
		Unvoted:    "Du hast keine Stimme zum Zurücknehmen.",
		Decided:    "Schon entschieden, aber noch rückgängig zu machen.",
		PleaseWait: "Es wurde nichts gespeichert. Bitte warte einen Moment.",
		Undone:     "Rückgängig gemacht. Der Agent bekam keine Antwort. Die Frage ist offen.",
		UndoneOver: "Rückgängig gemacht. Der Agent bekam keine Antwort. Die Zeit ist um.",
		Unheld:     "Hier gibt es nichts rückgängig zu machen.",
		Theirs:     "Das hast du nicht entschieden. Du kannst es nicht rückgängig machen.",
		Overtaken:  "Inzwischen entschieden und rückgängig gemacht. Es wurde nichts gespeichert.\nBitte schreib es noch einmal.",
		Outdated:   "Der Agent hat diese Frage überarbeitet. Es wurde nichts gespeichert.\nBitte sieh sie dir neu an.",
		AskedAgent: "An den Agenten gesendet. Die Karte bleibt offen und zeigt die Antwort.",
		Unshown:    "Die Dateien werden noch hochgeladen. Es wurde nichts gespeichert.\nBitte versuch es gleich noch einmal.",
		Enough:     "Mehr Fragen an den Agenten gehen hier nicht. Nichts wurde gesendet.",
		Done:       "Erledigt. Die Karte zeigt es.",
		NoControl:  "Dieses Bedienelement ist veraltet. Es wurde nichts gespeichert.",

		NotYours:  "Diese Frage kannst du nicht beantworten. Nichts wurde gespeichert. Sie ist für:",
		YourOwn:   "Du hast selbst darum gebeten. Entscheiden muss jemand anderes.\nEs wurde nichts gespeichert.",
		Workspace: "Nur Personen aus diesem Workspace können antworten. Es wurde nichts gespeichert.",

		PassedOn:     "Du hast diese Frage weitergegeben. Nichts wurde gespeichert. Sie ist für:",
		ToNobody:     "Bitte wähl eine Person aus.",
		ToThemselves: "Das bist du selbst.",
		ToBarred:     "Diese Person darf die Frage nicht beantworten.",
		ToUnknown:    "Die Berechtigung ließ sich nicht prüfen. Bitte versuch es noch einmal.",
		ToPasser:     "Diese Person hat sie weitergegeben und bekommt sie nicht zurück.",
		ToVoter:      "Diese Person kann schon abstimmen.",
		ToApart:      "Zu wenige verschiedene Stimmen: Das andere Konto der Person ist unbekannt.",
		HasVoted:     "Du hast abgestimmt. Nimm erst deine Stimme zurück.",
		TooOften:     "Weitergeben geht nicht noch einmal.",
		Unchanged:    "Es wurde nichts geändert.",

		Empty:          "Die Erwiderung ist leer. Es wurde nichts gesendet.",
		NothingChosen:  "Nichts ist ausgewählt. Es wurde nichts gesendet.\nBitte beantworte eine Frage oder überspring eine.",
		WriteSomething: "Bitte schreib etwas.",
		AnswerOrSkip:   "Bitte beantworte eine Frage oder überspring eine.",
		ChooseOrWrite:  "Bitte wähl eine Antwort aus oder schreib eine.",
		Missing:        func(questions string) string { return say("Es fehlt noch: %s. Es wurde nichts gesendet.", questions) },
		LeftOut: func(questions string) string {
			return say("Es fehlt noch: %s. Deine Auswahl bleibt. Gesendet ist nichts.", questions)
		},

		Noted: func(question, text string) string {
			return say("Vorgemerkt für %s: %s. Zum Senden drück „Absenden“ auf der Karte.", question, text)
		},
		Replaces: "Es ersetzt deine Auswahl dort.",
		Annotated: func(question, text string) string {
			return say("Deine Anmerkung zu %s: %s. Sie geht mit deiner Antwort.", question, text)
		},
		Unannotated: func(question string) string { return say("Deine Anmerkung zu %s ist entfernt.", question) },
		Quote:       func(text string) string { return say("„%s“", text) },
	},
	Closed: Closed{
		Late: func(ago string) string {
			return say("Zu spät: Die Zeit ist seit %s um. Es wurde nichts gespeichert.", ago)
		},
		Expired: func(ago string) string {
			return say("Diese Frage ist seit %s abgelaufen. Es wurde nichts gespeichert.", ago)
		},
		TooLateToUndo: "Zu spät zum Rückgängigmachen.",
		Answered:      func(who, what string) string { return say("Schon beantwortet von %s: %s.", who, what) },
		Replied:       func(who, what string) string { return say("%s hat statt einer Antwort erwidert: %s.", who, what) },
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
		Kept: "Deine Auswahl bleibt. Zum Abstimmen beantworte bitte jede Frage.",
		Noted: func(question, choice string) string {
			return say("Vorgemerkt für %s: %s. Zum Abstimmen drück „Absenden“ auf der Karte.", question, choice)
		},
		Skipped: "übersprungen", Nothing: "nichts",
		Counts:     func(choice string) string { return say("Deine Stimme für %s ist abgegeben.", choice) },
		CountsAll:  func(choice string) string { return say("Deine Stimme ist abgegeben: %s.", choice) },
		ToDismiss:  "Deine Stimme fürs Verwerfen ist abgegeben.",
		Changeable: "Du kannst sie bis zur Entscheidung ändern.",
		TakenBack:  "Deine Stimme ist zurückgenommen.",
	},
	Heard: Heard{
		Unbound:  "Keine offene Frage hier nimmt Nachrichten an. Es wurde nichts gespeichert.",
		Withheld: "Dieser Bot liest nur Antworten mit Erwähnung (@). Nichts wurde gespeichert.\nAntworte mit Erwähnung oder benutz die Karte.",
		Answer:   func(who, what string) string { return say("Als Antwort von %s verstanden: %s.", who, what) },
		Vote:     func(who, what string) string { return say("Als Stimme von %s verstanden: %s.", who, what) },
		Skipped:  "übersprungen",
		Several: func(codes string) string {
			return say("Hier sind mehrere Fragen offen. Es wurde nichts gespeichert.\nBeginn mit dem passenden Code: %s.", codes)
		},
		CodeFor:  func(code, question string) string { return say("„%s: …“ für %s", code, question) },
		NotTaken: "Das wurde nicht als Antwort verstanden.", ManyWays: "Das ist mehrdeutig.",
		NothingRecorded: "Es wurde nichts gespeichert.", VoteGone: "Deine Stimme ist zurückgenommen: Die Nachricht sagt sie nicht mehr.",
		AnswerGone: "Deine Antwort ist zurückgenommen: Die Nachricht sagt sie nicht mehr.",
		UseCard:    "Bitte benutz die Karte.",
		WholeLabel: func(code, label string) string {
			return say("Schreib den Code und eine Option im Wortlaut, etwa „%s: %s“.", code, label)
		},
		OwnWords: func(code string) string {
			return say("Für eigene Worte antworte auf die Karte oder beginn mit „%s: “.", code)
		},
		EachLine: func(questions int) string {
			return say("Beantworte alle %d Fragen: je eine Zeile, in dieser Reihenfolge.", questions)
		},
		OneOf: func(options string) string { return say("Antworte nur mit einem davon: %s.", options) },
		SomeOf: func(options string) string {
			return say("Antworte nur mit einigen davon, durch Kommas getrennt: %s.", options)
		},
		SkipWith: func(word string) string {
			return say("Schreib „%s“ zum Überspringen einer freiwilligen Frage.", word)
		},
		OwnWith: func(word string) string {
			return say("Schreib „%s: …“ für eine Antwort in eigenen Worten.", word)
		},
	},
	Reply: Reply{
		NotOpened:      "Das Formular ließ sich nicht öffnen. Bitte drück noch einmal.",
		Broken:         "Bei uns ist etwas schiefgegangen. Bitte versuch es noch einmal.",
		Late:           "Das hat zu lange gedauert. Vielleicht wurde nichts gespeichert.\nBitte versuch es noch einmal.",
		Arrived:        "Jetzt ist es angekommen.",
		ArrivedClose:   "Jetzt ist es angekommen. Du kannst dieses Fenster schließen.",
		ArrivedDeleted: "Es ist angekommen. Deine Karte wurde inzwischen gelöscht.",
		Busy:           "Gerade ist zu viel los. Es wurde nichts gespeichert.\nBitte versuch es gleich noch einmal.",
		Title:          "Hinweis", Close: "Schließen",
		ForYou: func(person string) string {
			return say("%s, diese Frage ist für dich.\nDeine Direktnachrichten sind für diesen Bot geschlossen.", person)
		},
	},
}

func vonOf(of int) string {
	if of == 0 {
		return ""
	}
	return say(" von %d", of)
}
