package words

import "time"

// spanish speaks to people as Slack and Discord do in Spanish: informally.
var spanish = Words{
	Language: "es",
	Button: Button{
		Submit: "Enviar", Other: "Otra respuesta", Answer: "Responder", Reply: "Comentar", Dismiss: "Descartar", Back: "Atrás",
		Next: "Siguiente", Read: "Leer entero", TakeBack: "Retirar mi voto", Undo: "Deshacer", Claim: "Me encargo", Pass: "Pasar a",
		Ask: "Preguntar", Skip: "Omitir", Skipped: "Omitida", Note: "Nota",
	},
	Card: Card{
		AnAgent: "Un agente",
		Asks: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s pregunta", agent), say("%s hace %d preguntas", agent, questions))
		},
		Asked: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s preguntó", agent), say("%s hizo %d preguntas", agent, questions))
		},
		For:      func(person string) string { return say("para %s", person) },
		Until:    func(moment string) string { return say("hasta el %s", moment) },
		Optional: "Opcional", OptionalShort: "(opcional)",
		Question: func(number int) string { return say("Pregunta %d", number) },
		Option:   func(number int) string { return say("Opción %d", number) },
		NoText:   "(sin texto)",
		Any:      "Elige las que quieras.", ChooseOne: "Elige una", ChooseAny: "Elige las que quieras",
		ChooseSkip: "Elige para omitir", LeaveOut: "Dejar esta pregunta sin responder",
		Chosen: "Elegido:", Typed: "Escrito:", Noted: "Nota:",
		ChosenBy:  func(person string) string { return say("Elegido por %s", person) },
		SkippedBy: func(person string) string { return say("Omitida por %s", person) },
		Page:      func(page, of int) string { return say("página %d de %d", page, of) },
		Answered:  func(questions int) string { return plural(questions, "1 respondida", say("%d respondidas", questions)) },
		Notified:  "Avisados:",
		AndMore:   func(n int) string { return say("y %d más", n) },
		Moment:    "02/01/2006, 15:04 UTC",
	},
	People: People{
		Only: func(who string) string { return say("Aquí solo puede responder %s", who) },
		Can:  func(who string) string { return say("Puede responder: %s", who) },
		You:  "Puedes responder", Anyone: "Cualquiera de este canal puede responder",
		NobodyButAsker: "Aquí no puede responder nadie: quien preguntó no decide", Nobody: "No puede responder nadie",
		IfAlso:   func(who string) string { return say(", si además es: %s", who) },
		NotAsker: ", pero no quien lo pidió",
		NotDirect: func(platform string) string {
			return say(", pero no en un mensaje directo: %s no dice allí los roles de nadie", platform)
		},
		AnyoneHere: "cualquiera de este canal",
		SomebodyOn: func(platform string) string { return say("alguien en %s", platform) },
		Or:         "o",
		Others:     func(n int) string { return plural(n, "u otra persona", say("u otras %d", n)) },
		User:       func(platform, id string) string { return say("usuario %[2]s de %[1]s", platform, id) },
		Group:      func(platform, id string) string { return say("grupo %[2]s de %[1]s", platform, id) },
		Role:       func(platform, id string) string { return say("rol %[2]s de %[1]s", platform, id) },
		OnCall:     func(rota string) string { return say("quien esté de guardia en %s", rota) },

		AnotherPlatform: "otra plataforma",
	},
	Vote: Vote{
		Agree: func(need, of int) string {
			return plural(need, say("basta 1%s", deOf(of)), say("tienen que coincidir %d%s", need, deOf(of)))
		},
		Most: func(need, of int) string {
			return plural(max(need, 1), "decide la mayoría de los votos", say("decide la mayoría de los votos, a partir de %d%s", need, deOf(of)))
		},
		Takes:     func(n int) string { return plural(n, "– basta un voto", say("necesita %d", n)) },
		ToDismiss: func(n int) string { return say("Para descartar hacen falta %d", n) },
		Hidden:    "Los votos quedan ocultos hasta el final", None: "Aún no hay votos",
		Cast:        func(n int) string { return plural(n, "Ha votado 1", say("Han votado %d", n)) },
		MoreChoices: func(n int) string { return plural(n, "y 1 respuesta más", say("y %d respuestas más", n)) },
		Against:     "Descartar", Skip: "(omitir)",
	},
	Schedule: Schedule{
		OnIt:     "Se encarga:",
		Claim:    func(who, since, until string) string { return say("%s desde el %s, hasta el %s", who, since, until) },
		Reminded: "Recordado:", Reminder: "Recordatorio:", Passed: "Traspasada:", From: "A partir del:", Since: "Desde el:",
		CanToo:    func(who string) string { return say("también puede responder %s", who) },
		NobodyOn:  func(rota string) string { return say("nadie estaba de guardia en %s", rota) },
		Elsewhere: "también pueden responder otros en otro lugar",
		MorePlaces: func(n int) string {
			return plural(n, "se pregunta en un lugar más", say("se pregunta en %d lugares más", n))
		},
		StillWaits: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s aún espera una respuesta", agent), say("%s aún espera %d respuestas", agent, questions))
		},
	},
	Talk: Talk{
		Revised: func(times int) string {
			return plural(times, "Revisada por el agente", say("Revisada por el agente %d veces", times))
		},
		Before: func(n int) string { return plural(n, "1 pregunta antes", say("%d preguntas antes", n)) },
		Asked:  "preguntó:", Agent: "el agente:", NoReply: "aún sin respuesta",
		Replied:  func(agent string) string { return say("%s ha contestado", agent) },
		Question: "Pregunta:",
		NotTaken: "El agente aún no ha recogido la respuesta.", Taken: "El agente tiene la respuesta",
		Missing: "Nadie ha recogido la respuesta: quizá el agente ya no escuche. Queda guardada.",
		Joined:  func(prompts int) string { return say("%d solicitudes iguales: una respuesta vale para todas", prompts) },
		Instead: func(what string) string {
			return say("Esta respuesta no cuenta: el agente ha seguido otra, «%s»", what)
		},
	},
	Files: Files{
		File: func(name string, bytes int) string {
			return say("Archivo: %s, %s\nSHA-256", name, plural(bytes, "1 byte", say("%d bytes", bytes)))
		},
		Unshown: func(characters int) string {
			return plural(characters, "su último carácter solo está ahí", say("sus últimos %d caracteres solo están ahí", characters))
		},
		Below:   func(code string) string { return say("Los archivos de la pregunta %s, como dice su tarjeta:", code) },
		Instead: "El agente ha revisado la pregunta. Cuentan estos archivos; los de más arriba ya no.",
		Due:     "Los archivos vienen de camino aquí debajo. En cuanto estén, se podrá responder.",
		Missing: "Los archivos no se han podido subir aquí, así que aquí no se puede responder.",
	},
	Typing: Typing{
		Or:       func(way, what string) string { return say("o %s %s", way, what) },
		InThread: "contesta en el hilo", AsReply: "contesta a este mensaje, con la mención activada,",
		Label:  func(code string) string { return say("con «%s:» y una opción al pie de la letra", code) },
		Number: func(code string) string { return say("con una opción o su número (código %s)", code) },
		Own:    func(code string) string { return say("con tus propias palabras (código %s)", code) },
		Lines:  func(code string) string { return say("con una línea por pregunta (código %s)", code) },
	},
	End: End{
		Answered: "Respondida", Skipped: "Omitida", Replied: "Cerrada con un comentario", Dismissed: "Descartada",
		Withdrawn: "Retirada por el agente", Expired: "Vencida sin respuesta", Undecided: "Vencida sin decisión",
		Replaced: "Sustituida por una pregunta más nueva", ByVote: "Decidida por votación", Unanswered: "Cerrada sin respuesta",
		By:      func(who string) string { return say("por %s", who) },
		On:      func(who string) string { return say("en %s", who) },
		OverAPI: "por la API",
		LeftOut: "omitida", NotAnswered: "sin responder", Typed: "escrito:",
		Note: "Nota:", Reply: "Comentario:", Reason: "Motivo:",
		NobodyInTime: "nadie respondió a tiempo", Tie: "empate", Unknown: "esta pregunta ya no se conoce",
		Elsewhere: "la pregunta está en otra tarjeta",
		Quorum:    func(have, need int) string { return say("votos necesarios: %d de %d", have, need) },
		Undoable: func(seconds int) string {
			return say("se puede deshacer durante %s", plural(seconds, "1 segundo", say("%d segundos", seconds)))
		},
		UndoableUntil: func(moment string) string { return say("se puede deshacer hasta el %s", moment) },
		Handed: func(times int, moment string) string {
			return say("entregada %s al agente, que preguntó lo mismo, el %s", plural(times, "una vez más", say("%d veces más", times)), moment)
		},
	},
	Form: Form{
		Submit: "Enviar", Send: "Enviar", Save: "Guardar", Close: "Cerrar", Cancel: "Cancelar",
		YourAnswer: "Tu respuesta", YourReply: "Tu comentario", OtherAnswer: "Otra respuesta", Note: "Nota",
		NoteHint:    "Llega al agente junto a la respuesta, y no es una respuesta.",
		ReplyHint:   "Ocupa el lugar de todas las respuestas y cierra las preguntas.",
		BesideHint:  "Cuenta junto con lo elegido.",
		InsteadHint: "Ocupa el lugar de la opción elegida.",
		ReplyVoteHint: func(people int) string {
			return say("Ocupa el lugar de tus respuestas. Para cerrar las preguntas hacen falta %d personas.", people)
		},
		DismissOne: "¿Descartar la pregunta?", DismissAll: "¿Descartar preguntas?", Dismiss: "Descartar", KeepOpen: "Dejar abierta",
		DismissHint: "Déjalo en blanco, o escribe qué se le dice al agente en lugar de una respuesta.",
		NobodyAfter: "Después ya no podrá responder nadie.",
		NoWords:     "El agente no sabrá el motivo: su herramienta no tiene sitio para él.",
		TakesToDismiss: func(people int) string {
			return say("Para descartar hacen falta %d personas.", people)
		},
		Answer: "Responder", CannotShow: "Estas preguntas no se pueden mostrar ahora. Inténtalo de nuevo.",
		AnswerMany:   func(questions int) string { return say("Responder %d preguntas", questions) },
		AnswerNumber: func(question int) string { return say("Responder pregunta %d", question) },
		AnswerFrom:   func(first, last int) string { return say("Preguntas %d–%d", first, last) },
		OrWrite:      func(choose string) string { return say("%s, o escribe abajo tu respuesta", choose) },
		PassTitle:    "Pasar la pregunta", Pass: "Pasar", PassTo: "Quién responde en tu lugar", ChoosePerson: "Elige una persona",
		PassHint: "Se le avisa. Ya no podrás responder, y la pregunta no puede volver a ti.",
		AskAgent: "Preguntar al agente", YourQuestion: "Tu pregunta",
		AskHint:     "No responde nada. La lee el agente, y quien vea la tarjeta.",
		AskEndsHint: "Ocupa el lugar de una respuesta y cierra las preguntas: el agente puede volver a preguntar.",
	},
	Note: Note{
		Unknown:   "Esta pregunta ya no se conoce aquí, así que no se ha guardado nada.",
		Foreign:   "Esta pregunta no se conoce aquí, así que no se ha guardado nada. Si la lleva otro puente, pulsa de nuevo.",
		Trying:    "No se ha podido guardar tu respuesta: aún no cuenta. Seguimos intentándolo…",
		Rescued:   "Guardada: tu respuesta ya cuenta.",
		Unchecked: "No se ha podido comprobar si te toca responder: no se ha guardado nada. Inténtalo de nuevo en un momento.",
		Thin:      "Guardada, pero aún no copiada a una segunda máquina: si la primera falla ahora, podría perderse. Vuelve a mirar la tarjeta dentro de un rato.",
		TryAgain:  "No se ha podido guardar tu respuesta: no se ha registrado nada. Inténtalo de nuevo en un momento.",

		Elsewhere:  "Esta no es la tarjeta que se publicó para la pregunta. No se ha guardado nada: usa la tarjeta original.",
		Hasty:      "La selección ha cambiado desde que pulsaste «Enviar». No se ha enviado nada: revísala y envíala de nuevo.",
		Final:      "Ya has votado, y los votos de esta pregunta no se pueden cambiar. No se ha guardado nada.",
		Unvoted:    "No has votado en esta pregunta, así que no hay nada que retirar.",
		Decided:    "Está decidido, y quien decidió aún puede deshacerlo.",
		PleaseWait: "No se ha guardado nada: espera un momento.",
		Undone:     "Deshecho: el agente no ha sabido nada, y la pregunta vuelve a estar abierta.",
		UndoneOver: "Deshecho: el agente no ha sabido nada de ello. El plazo para responder ha terminado, así que ya no puede responder nadie.",
		Unheld:     "Aquí no hay nada que deshacer.",
		Theirs:     "Solo quien decidió puede deshacerlo. No se ha cambiado nada.",
		Overtaken:  "Desde que lo escribiste, esto se decidió y se deshizo. No se ha guardado nada: escríbelo otra vez si es lo que quieres.",
		Outdated:   "El agente ha revisado esta pregunta desde que se dibujó esa tarjeta. No se ha guardado nada: vuelve a mirarla.",
		AskedAgent: "Tu pregunta va de camino al agente. La tarjeta mostrará lo que conteste, y mientras tanto espera una respuesta.",
		Unshown:    "Los archivos de esta pregunta aún no están debajo de la tarjeta. No se ha guardado nada: inténtalo cuando estén.",
		Enough:     "Ya se le ha preguntado al agente sobre esto tantas veces como se puede. No se ha enviado nada.",
		NoControl:  "Ese control ya no pertenece a esta pregunta. No se ha guardado nada.",

		NotYours:  "No te toca responder esta pregunta. No se ha guardado nada. Es para:",
		YourOwn:   "Lo pediste tú, así que tiene que decidir otra persona. No se ha guardado nada.",
		Workspace: "Solo puede responder gente de este espacio de trabajo. No se ha guardado nada.",

		PassedOn:     "Has pasado esta pregunta, así que tiene que responder otra persona. No se ha guardado nada. Es para:",
		ToNobody:     "Elige una persona.",
		ToThemselves: "Esa persona eres tú.",
		ToBarred:     "Esa persona no puede responder esta pregunta.",
		ToUnknown:    "No se ha podido comprobar si esa persona puede responder: inténtalo de nuevo en un momento.",
		ToPasser:     "Esa persona la ha pasado, así que no puede volver a ella.",
		ToVoter:      "Esa persona ya vota en ella.",
		ToApart:      "Entonces se distinguiría a menos votantes de los necesarios: no se sabe quién es esa persona en la otra plataforma.",
		HasVoted:     "Has votado: retira antes tu voto.",
		TooOften:     "Se ha pasado tantas veces como se puede.",
		Unchanged:    "No se ha cambiado nada.",

		Empty:          "El comentario está vacío. No se ha enviado nada.",
		NothingChosen:  "Aún no hay nada elegido. No se ha enviado nada: responde una pregunta, u omite una.",
		WriteSomething: "Escribe algo.",
		AnswerOrSkip:   "Responde una pregunta, u omite una.",
		ChooseOrWrite:  "Elige o escribe una respuesta.",
		Missing:        func(questions string) string { return say("Aún falta: %s. No se ha enviado nada.", questions) },
		LeftOut: func(questions string) string {
			return say("Aún falta: %s. Lo que elegiste se conserva, y aún no se ha enviado nada.", questions)
		},

		Noted: func(question, text string) string {
			return say("Anotado para %s: %s. Pulsa «Enviar» en la tarjeta para enviarlo.", question, text)
		},
		Replaces: "Sustituye lo que elegiste ahí, hasta que vuelvas a elegir.",
		Annotated: func(question, text string) string {
			return say("Tu nota sobre %s: %s. Va con la respuesta, que aún hay que elegir y enviar.", question, text)
		},
		Unannotated: func(question string) string { return say("Se ha quitado tu nota sobre %s.", question) },
		Quote:       func(text string) string { return say("«%s»", text) },
	},
	Closed: Closed{
		Late: func(ago string) string {
			return say("Demasiado tarde: el plazo para responder terminó hace %s. No se ha guardado nada.", ago)
		},
		Expired:       func(ago string) string { return say("Esta pregunta venció hace %s. No se ha guardado nada.", ago) },
		TooLateToUndo: "Es demasiado tarde para deshacerlo.",
		Answered:      func(who, what string) string { return say("Ya la respondió %s: %s.", who, what) },
		Replied:       func(who, what string) string { return say("%s comentó en lugar de responder: %s.", who, what) },
		Decided:       func(what string) string { return say("Ya se decidió por votación: %s.", what) },
		Skipped:       func(who string) string { return say("Ya la omitió %s.", who) },
		Dismissed:     func(who string) string { return say("%s descartó esta pregunta. No se ha guardado nada.", who) },
		Withdrawn:     "El agente retiró esta pregunta. No se ha guardado nada.",
		Replaced:      "Una pregunta más nueva ha sustituido a esta. No se ha guardado nada.",
		Otherwise:     "Esta pregunta está cerrada. No se ha guardado nada.",
		Ago: func(d time.Duration) string {
			return ago(d, "un momento",
				func(n int) string { return say("%d segundos", n) }, func(n int) string { return say("%d minutos", n) },
				func(n int) string { return say("%d horas", n) }, func(n int) string { return say("%d días", n) })
		},
	},
	Voted: Voted{
		Kept: "Lo que elegiste se conserva. Tu voto cuenta cuando todas las preguntas tengan respuesta.",
		Noted: func(question, choice string) string {
			return say("Anotado para %s: %s. Pulsa «Enviar» en la tarjeta para votar.", question, choice)
		},
		Skipped: "omitida", Nothing: "nada",
		Counts:     func(choice string) string { return say("Tu voto cuenta: %s.", choice) },
		ToDismiss:  "Tu voto para descartarla cuenta.",
		Changeable: "Puedes cambiarlo hasta que se decida.",
		TakenBack:  "Tu voto se ha retirado.",
	},
	Heard: Heard{
		Unbound:  "Aquí no hay ninguna pregunta abierta que puedas responder con un mensaje. No se ha guardado nada.",
		Withheld: "Este bot no puede leer una respuesta que no lo mencione. No se ha guardado nada: contesta con la mención (@) activada, o usa la tarjeta.",
		Answer:   func(who, what string) string { return say("Entendido como respuesta de %s: %s.", who, what) },
		Vote:     func(who, what string) string { return say("Entendido como voto de %s: %s.", who, what) },
		Skipped:  "omitida",
		Several: func(codes string) string {
			return say("Aquí hay varias preguntas abiertas, así que no se ha guardado nada. Empieza con el código de la que quieras: %s.", codes)
		},
		CodeFor:  func(code, question string) string { return say("«%s: …» para %s", code, question) },
		NotTaken: "Eso no se ha entendido como respuesta.", ManyWays: "Eso se puede leer de más de una forma.",
		NothingRecorded: "No se ha guardado nada.", VoteGone: "Tu voto se ha retirado, porque el mensaje ya no lo dice.",
		AnswerGone: "Tu respuesta se ha retirado, porque el mensaje ya no la dice.",
		UseCard:    "Usa la tarjeta.",
		WholeLabel: func(code, label string) string {
			return say("Aquí solo cuenta una opción al pie de la letra tras el código, como «%s: %s».", code, label)
		},
		OwnWords: func(code string) string {
			return say("Para responder con tus palabras, contesta a la propia tarjeta o empieza con «%s: ».", code)
		},
		EachLine: func(questions int) string {
			return say("Hace falta una respuesta para cada una de las %d preguntas: una línea para cada una, en su orden.", questions)
		},
		OneOf: func(options string) string { return say("Contesta con una de estas, y nada más: %s.", options) },
		SomeOf: func(options string) string {
			return say("Contesta con algunas de estas, separadas por comas, y nada más: %s.", options)
		},
		SkipWith: func(word string) string { return say("Escribe «%s» para omitir una pregunta opcional.", word) },
		OwnWith:  func(word string) string { return say("Escribe «%s: …» para responder con tus palabras.", word) },
	},
	Reply: Reply{
		NotOpened:      "No se ha podido abrir el formulario. Pulsa el botón de nuevo.",
		Broken:         "Algo ha fallado por nuestra parte. Inténtalo de nuevo.",
		Late:           "Está tardando demasiado, así que no sabemos si se ha guardado. Inténtalo de nuevo.",
		Arrived:        "Ya ha llegado.",
		ArrivedClose:   "Ya ha llegado. Puedes cerrar esta ventana.",
		ArrivedDeleted: "Ha llegado, y la tarjeta que usaste se ha borrado entretanto.",
		Busy:           "Ahora mismo hay demasiado movimiento, así que esto no se ha guardado. Inténtalo de nuevo en un momento.",
		Title:          "Aviso", Close: "Cerrar",
		ForYou: func(person string) string {
			return say("%s, esta pregunta es para ti. Está aquí porque tus mensajes directos están cerrados para este bot.", person)
		},
	},
}

func deOf(of int) string {
	if of == 0 {
		return ""
	}
	return say(" de %d", of)
}
