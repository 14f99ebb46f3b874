package words

import "time"

// spanish speaks to people as Slack and Discord do in Spanish: informally.
var spanish = Words{
	Language:   "es",
	Permission: spanishPermission,
	Inbox:      spanishInbox,
	Digest:     spanishDigest,
	Button: Button{
		Submit: "Enviar", Other: "Otra respuesta", Answer: "Responder", Back: "Atrás", Next: "Siguiente", Read: "Leer entero",
		Claim: "Me encargo", More: "Más", Skip: "Omitir", Skipped: "Omitida",
		Reply: "Responder con mi texto", Ask: "Preguntar al agente", Note: "Añadir una nota", Pass: "Pasar a",
		TakeBack: "Retirar mi voto", Undo: "Deshacer", Dismiss: "Descartar", Details: "Detalles",
		NoteTo: func(question int) string { return say("Añadir una nota a la %d", question) },
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
		Until:    func(moment string) string { return say("vence %s", moment) },
		Optional: "Opcional", OptionalShort: "(opcional)",
		Question: func(number int) string { return say("Pregunta %d", number) },
		Option:   func(number int) string { return say("Opción %d", number) },
		NoText:   "(sin texto)",
		Any:      "Elige una o varias.", ChooseOne: "Elige una", ChooseAny: "Elige una o varias",
		ChooseSkip: "Elige para omitir", LeaveOut: "Dejar esta pregunta sin responder",
		Chosen: "Elegido:", Typed: "Escrito:", Noted: "Nota:",
		ChosenBy:  func(person string) string { return say("Elegido por %s", person) },
		SkippedBy: func(person string) string { return say("Omitida por %s", person) },
		ByButton:  func(labels string) string { return say("Responde con un botón: %s.", labels) },
		ByButtons: "Responde con los botones.", ByList: "Elige de la lista.", BySubmit: "Elige en la tarjeta y pulsa «Enviar».",
		ByForm: "Pulsa «Responder» y rellena el formulario.", ByText: "Pulsa el botón y escribe tu respuesta.",
		Page:     func(page, of int) string { return say("página %d de %d", page, of) },
		Answered: func(questions int) string { return plural(questions, "1 respondida", say("%d respondidas", questions)) },
		Notified: "Avisados:",
		AndMore:  func(n int) string { return say("y %d más", n) },
		Moment:   "02/01/2006, 15:04 UTC",
	},
	People: People{
		Only: func(who string, n int) string {
			return plural(n, say("Solo puede responder %s", who), say("Solo pueden responder %s", who))
		},
		OnlyHere: func(who string) string { return say("Aquí solo puede responder %s", who) },
		Can:      func(who string) string { return say("Pueden responder: %s", who) },
		HereOr:   func(platforms string) string { return say(", aquí o en %s", platforms) },
		On:       func(platforms string) string { return say(", en %s", platforms) },
		You:      "Puedes responder", Anyone: "Aquí puede responder cualquiera", Nobody: "No puede responder nadie",
		NobodyHere:     "Aquí no puede responder nadie",
		NobodyButAsker: "Aquí no puede responder nadie: el solicitante no decide",
		HiddenGroups: func(platform string) string {
			return say("Aquí no puede responder nadie: %s oculta roles en mensajes directos", platform)
		},
		Must:  func(who string) string { return say("solo de esta lista: %s", who) },
		But:   func(who string) string { return say(", excepto %s", who) },
		Asker: "el solicitante",
		People: func(n int, platform string) string {
			return say("%d %s en %s", n, plural(n, "persona", "personas"), platform)
		},
		MorePeople: func(n int, platform string) string {
			return say("%d %s más en %s", n, plural(n, "persona", "personas"), platform)
		},
		Groups: func(n int, platform string) string {
			return say("%d %s en %s", n, plural(n, "grupo", "grupos"), platform)
		},
		Or:     "o",
		Others: func(n int) string { return say("%d más", n) },
		User:   func(platform, id string) string { return say("usuario %[2]s de %[1]s", platform, id) },
		Group:  func(platform, id string) string { return say("grupo %[2]s de %[1]s", platform, id) },
		Role:   func(platform, id string) string { return say("rol %[2]s de %[1]s", platform, id) },
		OnCall: func(rota string) string { return say("la guardia de %s", rota) },

		AnotherPlatform: "otra plataforma",
	},
	Vote: Vote{
		Agree: func(need, of int) string {
			if need == of && of > 1 {
				return say("deben coincidir las %d", of)
			}
			return plural(need, say("basta 1%s", deOf(of)), say("deben coincidir %d%s", need, deOf(of)))
		},
		Most: func(need, of int) string {
			return plural(max(need, 1), "decide la mayoría", say("decide la mayoría, mínimo %d%s", need, deOf(of)))
		},
		Takes:       func(n int) string { return plural(n, "– basta un voto", say("necesita %d", n)) },
		ToDismiss:   func(n int) string { return say("Descartar necesita %d", n) },
		Hidden:      "Los votos quedan ocultos hasta el final",
		Cast:        func(n, of int) string { return say("%s votado %d%s", plural(n, "Ha", "Han"), n, deOf(of)) },
		Of:          func(have, need int) string { return say("%d de %d", have, need) },
		Waiting:     func(who string) string { return say("Faltan por votar: %s", who) },
		MoreChoices: func(n int) string { return plural(n, "y 1 respuesta más", say("y %d respuestas más", n)) },
		Against:     "Descartar", Skip: "(omitir)",
	},
	Schedule: Schedule{
		OnIt:      "Se encarga:",
		Claim:     func(who, since, until string) string { return say("%s desde %s, hasta %s", who, since, until) },
		Passed:    "Traspasada:",
		AlsoAsked: func(who string) string { return say("también se preguntó a %s", who) },
		AlsoIn:    func(places string) string { return say("también se preguntó %s", places) },
		Places:    func(n int) string { return plural(n, "en un lugar más", say("en %d lugares más", n)) },
		Elsewhere: "otras personas en otro lugar",
		NobodyOn:  func(rota string) string { return say("nadie estaba de guardia en %s", rota) },
		Reminded:  "recordatorio enviado", Next: "Siguiente:", Then: "Después:", Reminder: "recordatorio",
		Waiting: func(agent string) string { return say("Recordatorio: %s está esperando", agent) },
	},
	Details: Details{
		Request: func(id string) string { return say("Solicitud: %s", id) },
		Agent:   func(name string) string { return say("Agente: %s", name) },
	},
	Talk: Talk{
		Revised: func(times int) string {
			return plural(times, "Revisada por el agente", say("Revisada por el agente %d veces", times))
		},
		Before: func(n int) string { return plural(n, "1 pregunta antes", say("%d preguntas antes", n)) },
		Asked:  "preguntó:", Agent: "el agente:", NoReply: "aún sin respuesta",
		Replied:  func(agent string) string { return say("%s ha contestado", agent) },
		Question: "Pregunta:",
		NotTaken: func(agent string) string { return say("%s aún no tiene la respuesta", agent) },
		Taken:    func(agent string) string { return say("%s tiene la respuesta", agent) },
		Missing: func(agent string) string {
			return say("Sin señales de %s. La respuesta queda guardada.", agent)
		},
		Joined: func(prompts int) string { return say("%d solicitudes iguales: una respuesta vale para todas", prompts) },
		Instead: func(agent, what string) string {
			return say("Esta respuesta no cuenta: %s ha usado otra, «%s»", agent, what)
		},
	},
	Files: Files{
		File:  func(name, size string) string { return say("%s (%s), sha256", name, size) },
		Whole: func(name, size string) string { return say("Texto completo: %s (%s), sha256", name, size) },
		Size:  func(bytes int) string { return size(bytes, ",", "1 byte", "bytes") },
		Unshown: func(characters int) string {
			return plural(characters, "último carácter solo en el archivo", say("últimos %d caracteres solo en el archivo", characters))
		},
		Instead: "El agente ha revisado la pregunta. Ahora solo cuentan estos archivos.",
		Due:     "Subiendo los archivos. Enseguida podrás responder.",
		Missing: "No se han podido subir los archivos. Aquí no puedes responder.",
	},
	Typing: Typing{
		Or:       func(way, what string) string { return say("o %s %s", way, what) },
		InThread: "contesta en el hilo", AsReply: "contesta a este mensaje, con la mención activada,",
		Number: "con una opción o su número", Own: "con tus propias palabras", Lines: "con una línea por pregunta",
		Coded: func(what, code string) string { return say("%s, tras «%s:»", what, code) },
		Label: func(code string) string { return say("con «%s:» y una opción al pie de la letra", code) },
	},
	End: End{
		Answered: "Respondida", Skipped: "Omitida", Replied: "Cerrada con un comentario", Dismissed: "Descartada",
		Withdrawn: "Retirada por el agente", Expired: "Vencida sin respuesta", Undecided: "Vencida sin decisión",
		Replaced: "Sustituida por una pregunta más nueva", ByVote: "Decidida por votación", Unanswered: "Cerrada sin respuesta",
		By:        func(who string) string { return say("por %s", who) },
		On:        func(who string) string { return say("en %s", who) },
		OverAPI:   "por la API",
		NotChosen: "no elegido:",
		LeftOut:   "omitida", NotAnswered: "sin responder", Typed: "escrito:",
		Note: "Nota:", Reply: "Comentario:", Reason: "Motivo:",
		NobodyInTime: "sin respuesta a tiempo", Tie: "empate", Unknown: "esta pregunta ya no se conoce",
		Elsewhere: "la pregunta está en otra tarjeta",
		Quorum:    func(have, need int) string { return say("votos necesarios: %d de %d", have, need) },
		Undoable: func(seconds int) string {
			return say("se puede deshacer durante %s", plural(seconds, "1 segundo", say("%d segundos", seconds)))
		},
		UndoableUntil: func(moment string) string { return say("se puede deshacer hasta %s", moment) },
		Handed: func(times int, moment string) string {
			return say("usada %s para solicitudes iguales, la última %s", plural(times, "una vez", say("%d veces", times)), moment)
		},
	},
	Form: Form{
		Submit: "Enviar", Send: "Enviar", Save: "Guardar", Close: "Cerrar", Cancel: "Cancelar",
		YourAnswer: "Tu respuesta", YourReply: "Tu comentario", OtherAnswer: "Otra respuesta", Note: "Nota",
		NoteHint:    "Llega al agente con la respuesta. Sola no responde nada.",
		ReplyHint:   "Sustituye todas las respuestas y cierra las preguntas.",
		BesideHint:  "Cuenta junto con tu elección.",
		InsteadHint: "Sustituye tu elección.",
		ReplyVoteHint: func(people int) string {
			return say("Sustituye tus respuestas. Cerrar las preguntas necesita %d personas.", people)
		},
		ConfirmChoice: "Confirma tu respuesta", Confirm: "Confirmar", YouChoose: "Eliges:",
		DismissOne: "¿Descartar la pregunta?", DismissAll: "¿Descartar preguntas?", Dismiss: "Descartar", KeepOpen: "Dejar abierta",
		Reason:      "Motivo",
		DismissHint: "El agente recibe este texto en lugar de una respuesta.",
		NobodyAfter: "Después ya no podrá responder nadie.",
		NoWords:     "El agente no puede recibir un motivo.",
		TakesToDismiss: func(people int) string {
			return say("Descartar necesita %d personas.", people)
		},
		Answer: "Responder", CannotShow: "No se han podido mostrar estas preguntas. Inténtalo de nuevo.",
		AnswerMany:   func(questions int) string { return say("Responder %d preguntas", questions) },
		AnswerNumber: func(question int) string { return say("Responder pregunta %d", question) },
		AnswerFrom:   func(first, last int) string { return say("Preguntas %d–%d", first, last) },
		OrWrite:      func(choose string) string { return say("%s, o escribe abajo tu respuesta", choose) },
		PassTitle:    "Pasar la pregunta", Pass: "Pasar", PassTo: "Persona para responder en tu lugar", ChoosePerson: "Elige una persona",
		PassHint: "Avisamos a esa persona. Ya no podrás responder ni recuperar la pregunta.",
		AskAgent: "Preguntar al agente", YourQuestion: "Tu pregunta",
		AskHint:     "No es una respuesta. El agente y todos aquí pueden leerla.",
		AskEndsHint: "Cierra las preguntas sin respuesta. El agente puede volver a preguntar.",
	},
	Note: Note{
		Unknown:   "Esta pregunta ya no se conoce aquí. No se ha guardado nada.",
		Foreign:   "Esta pregunta no se conoce aquí. No se ha guardado nada.\nPulsa de nuevo.",
		Trying:    "Aún no se ha guardado tu respuesta. Seguimos intentándolo…",
		Rescued:   "Guardada: tu respuesta ya cuenta.",
		Unchecked: "No se ha podido comprobar tu permiso. No se ha guardado nada.\nInténtalo de nuevo.",
		Thin:      "Guardada en una sola máquina.\nVuelve a mirar la tarjeta más tarde.",
		TryAgain:  "No se ha podido guardar tu respuesta.\nInténtalo de nuevo.",

		Elsewhere:  "Esta no es la tarjeta original. No se ha guardado nada.\nUsa la original.",
		Hasty:      "La selección ha cambiado. No se ha enviado nada.\nRevísala y envíala de nuevo.",
		Final:      "Ya has votado, y aquí los votos son definitivos.\nNo se ha guardado nada.",
		Unvoted:    "No tienes ningún voto para retirar.",
		Decided:    "Ya está decidido, pero aún se puede deshacer.",
		PleaseWait: "No se ha guardado nada. Espera un momento.",
		Undone:     "Deshecho. El agente no recibió respuesta.\nLa pregunta vuelve a estar abierta.",
		UndoneOver: "Deshecho. El agente no recibió respuesta.\nEl plazo para responder ha terminado.",
		Unheld:     "Aquí no hay nada para deshacer.",
		Theirs:     "No lo decidiste tú. No puedes deshacerlo.",
		Overtaken:  "Entretanto se decidió y se deshizo. No se ha guardado nada.\nEscríbelo otra vez.",
		Outdated:   "El agente ha revisado esta pregunta. No se ha guardado nada.\nVuelve a mirarla.",
		AskedAgent: "Enviada al agente. La tarjeta sigue abierta y mostrará su respuesta.",
		Unshown:    "Los archivos aún se están subiendo. No se ha guardado nada.\nInténtalo enseguida.",
		Enough:     "Aquí no caben más preguntas al agente. No se ha enviado nada.",
		Done:       "Hecho. La tarjeta lo muestra.",
		NoControl:  "Ese control ya no está vigente. No se ha guardado nada.",

		NotYours:  "No te toca responder esta pregunta. No se ha guardado nada.\nEs para:",
		YourOwn:   "Lo pediste tú. Debe decidir otra persona.\nNo se ha guardado nada.",
		Workspace: "Solo responden personas de este espacio de trabajo.\nNo se ha guardado nada.",

		PassedOn:     "Has pasado esta pregunta. No se ha guardado nada. Es para:",
		ToNobody:     "Elige una persona.",
		ToThemselves: "Esa persona eres tú.",
		ToBarred:     "Esa persona no puede responder esta pregunta.",
		ToUnknown:    "No se ha podido comprobar su permiso. Inténtalo de nuevo.",
		ToPasser:     "Esa persona la ha pasado y no puede recuperarla.",
		ToVoter:      "Esa persona ya puede votar.",
		ToApart:      "Muy pocos votantes distintos: se desconoce su otra cuenta.",
		HasVoted:     "Has votado. Retira antes tu voto.",
		TooOften:     "Ya no se puede pasar otra vez.",
		Unchanged:    "No se ha cambiado nada.",

		Empty:          "El comentario está vacío. No se ha enviado nada.",
		NothingChosen:  "No has elegido nada. No se ha enviado nada.\nResponde u omite una pregunta.",
		WriteSomething: "Escribe algo.",
		AnswerOrSkip:   "Responde u omite una pregunta.",
		ChooseOrWrite:  "Elige o escribe una respuesta.",
		Missing:        func(questions string) string { return say("Aún falta: %s. No se ha enviado nada.", questions) },
		LeftOut: func(questions string) string {
			return say("Aún falta: %s. Tu elección se conserva. Aún no has enviado nada.", questions)
		},

		Noted: func(question, text string) string {
			return say("Anotado para %s: %s. Pulsa «Enviar» en la tarjeta para enviarlo.", question, text)
		},
		Replaces: "Sustituye tu elección ahí.",
		Annotated: func(question, text string) string {
			return say("Tu nota sobre %s: %s. Va con tu respuesta.", question, text)
		},
		Unannotated: func(question string) string { return say("Se ha quitado tu nota sobre %s.", question) },
		Quote:       func(text string) string { return say("«%s»", text) },
	},
	Closed: Closed{
		Late: func(ago string) string {
			return say("Demasiado tarde: terminó hace %s. No se ha guardado nada.", ago)
		},
		Expired:       func(ago string) string { return say("Esta pregunta venció hace %s. No se ha guardado nada.", ago) },
		TooLateToUndo: "Es demasiado tarde para deshacerlo.",
		Answered:      func(who, what string) string { return say("Ya la respondió %s: %s.", who, what) },
		Replied:       func(who, what string) string { return say("%s comentó en lugar de responder: %s.", who, what) },
		Decided:       func(what string) string { return say("Ya se decidió por votación: %s.", what) },
		Skipped:       func(who string) string { return say("Ya la omitió %s.", who) },
		Dismissed:     func(who string) string { return say("%s descartó esta pregunta. No se ha guardado nada.", who) },
		Withdrawn:     "El agente retiró esta pregunta. No se ha guardado nada.",
		Replaced:      "La sustituye una pregunta más nueva. No se ha guardado nada.",
		Otherwise:     "Esta pregunta está cerrada. No se ha guardado nada.",
		Ago: func(d time.Duration) string {
			return ago(d, "un momento",
				func(n int) string { return say("%d segundos", n) }, func(n int) string { return say("%d minutos", n) },
				func(n int) string { return say("%d horas", n) }, func(n int) string { return say("%d días", n) })
		},
	},
	Voted: Voted{
		Kept: "Tu elección se conserva. Para votar, responde todas las preguntas.",
		Noted: func(question, choice string) string {
			return say("Anotado para %s: %s. Pulsa «Enviar» en la tarjeta para votar.", question, choice)
		},
		Skipped: "omitida", Nothing: "nada",
		Counts:     func(choice string) string { return say("Tu voto por %s está registrado.", choice) },
		CountsAll:  func(choice string) string { return say("Tu voto está registrado: %s.", choice) },
		ToDismiss:  "Tu voto para descartarla está registrado.",
		Changeable: "Puedes cambiarlo hasta la decisión.",
		TakenBack:  "Tu voto se ha retirado.",
	},
	Heard: Heard{
		Unbound:  "Ninguna pregunta abierta aquí admite mensajes. No se ha guardado nada.",
		Withheld: "Este bot solo lee respuestas con mención (@). No se ha guardado nada.\nContesta con la mención o usa la tarjeta.",
		Answer:   func(who, what string) string { return say("Entendido como respuesta de %s: %s.", who, what) },
		Vote:     func(who, what string) string { return say("Entendido como voto de %s: %s.", who, what) },
		Skipped:  "omitida",
		Several: func(codes string) string {
			return say("Aquí hay varias preguntas abiertas. No se ha guardado nada.\nEmpieza con el código de una: %s.", codes)
		},
		CodeFor:  func(code, question string) string { return say("«%s: …» para %s", code, question) },
		NotTaken: "Eso no se ha entendido como respuesta.", ManyWays: "Eso tiene más de un significado.",
		NothingRecorded: "No se ha guardado nada.", VoteGone: "Tu voto se ha retirado: el mensaje ya no lo dice.",
		AnswerGone: "Tu respuesta se ha retirado: el mensaje ya no la dice.",
		UseCard:    "Usa la tarjeta.",
		WholeLabel: func(code, label string) string {
			return say("Escribe el código y una opción exacta, como «%s: %s».", code, label)
		},
		OwnWords: func(code string) string {
			return say("Con tus palabras: contesta a la tarjeta o empieza con «%s: ».", code)
		},
		EachLine: func(questions int) string {
			return say("Responde las %d preguntas: una línea por pregunta, en orden.", questions)
		},
		OneOf: func(options string) string { return say("Contesta solo con una de estas: %s.", options) },
		SomeOf: func(options string) string {
			return say("Contesta solo con algunas de estas, separadas por comas: %s.", options)
		},
		SkipWith: func(word string) string { return say("Escribe «%s» para omitir una pregunta opcional.", word) },
		OwnWith:  func(word string) string { return say("Escribe «%s: …» para responder con tus palabras.", word) },
	},
	Reply: Reply{
		NotOpened:      "No se ha podido abrir el formulario. Pulsa el botón de nuevo.",
		Broken:         "Algo ha fallado por nuestra parte. Inténtalo de nuevo.",
		Late:           "Ha tardado demasiado y quizá no se ha guardado.\nInténtalo de nuevo.",
		Arrived:        "Ya ha llegado.",
		ArrivedClose:   "Ya ha llegado. Puedes cerrar esta ventana.",
		ArrivedDeleted: "Ha llegado. Entretanto se ha borrado tu tarjeta.",
		Busy:           "Ahora hay demasiado movimiento. No se ha guardado nada.\nInténtalo de nuevo.",
		Title:          "Aviso", Close: "Cerrar",
		ForYou: func(person string) string {
			return say("%s, esta pregunta es para ti.\nTus mensajes directos están cerrados para este bot.", person)
		},
	},
}

func deOf(of int) string {
	if of == 0 {
		return ""
	}
	return say(" de %d", of)
}
