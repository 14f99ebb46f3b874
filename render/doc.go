// Package render decides what a person sees.
//
// [Layout] turns a request into a [Card], [AnswerForm] and [WriteForm] into a
// [Form], which depend on no platform's SDK. The packages below render turn them into one platform's
// values; everything that the platforms share is decided here, once.
//
//	deploy-bot asks                          Frame: only the bridge writes here
//	Deploying 4.2                            Body: the agent's context
//	Database                                 Body: header, question, options
//	Which database should we use?            in full where a control cannot hold
//	1. Postgres – Managed                    them
//	[Postgres] [SQLite] [Other…] [More…]     Row or Choice: the controls
//	Deploy – 1: Dana                         Body: what concerns them, such as votes
//	Anyone here can answer                   Frame: who, and until when
//
// # Files
//
// No two files use each other. From the bottom: text.go, card.go, token.go, limits.go and subject.go are
// the vocabulary; voice.go, labels.go, people.go, frame.go and offer.go word single lines; control.go,
// permission.go, votes.go, schedule.go, talk.go and files.go lay out the parts of a card; pages.go,
// ended.go, more.go and layout.go put cards together; form.go and forms.go do so for forms.
//
// # Controls
//
// A lone single-select question has a button per option everywhere: one tap. The rest follows from
// [Limits]:
//
//   - Where selections stay in each person's client (Slack), several questions and multi-select ones
//     are lists with one Submit.
//   - Where the message is updated for everyone (Discord), each option stays a button, and those in
//     the draft are marked. A chosen option of a multi-select question carries [Drop], every other
//     one [Choose], so that the effect of each button is absolute. A set of single-select questions
//     needs no Submit: the last choice completes it. From [Limits].Menus questions on, menus replace
//     the buttons. Other is always a button.
//   - Where one form takes a few questions ([Limits].FormFields, Discord), several questions are
//     answered in forms: the card shows them with their options, and each page has a button for the
//     form with its questions ([PartForm]). Sets with questions that can be skipped, or with notes,
//     stay on the card.
//   - More is the only control that is not a choice, next to the claim while that postpones something.
//     It opens a private message ([More]) with what this person can do now, such as to dismiss the
//     request. What ends a request opens a form first, so no single tap does.
//   - A question with more options than [Limits].Buttons is a menu everywhere.
//
// # Imitated buttons
//
// If the words of an option could be taken for those of a bridge button, in look-alike letters too, or
// it begins with an arrow as links do, all options of the question are numbered. No button of the
// bridge begins with a number. The answer is the label as the agent sent it.
//
// # Truncation
//
// Nothing is lost: one of the card's buttons shows in full what the card truncates.
//
//  1. Where a control cannot hold its option, the options of the question are numbered, its label is
//     the number alone, and the text above shows them in full, with description and sample.
//  2. A set with too many questions, or too much text for one message, becomes an outline with an
//     Answer button, which opens a form with everything (Slack). Where no form can hold everything
//     ([Limits].Pages, Discord) it becomes pages with as many whole questions each as fit; everyone
//     sees the same page, [Subject].At.
//  3. The outline truncates every text to a line or two. A page truncates only a question that no page
//     can hold, as little as necessary, and a context that leaves no room for the first question; a
//     Read button shows the [FullText] to the person who presses it.
//  4. What collects around the questions of an open card, such as what people have asked the agent,
//     the steps of a schedule and votes, is truncated before a question would become a mere beginning:
//     the oldest first, replaced by a count. Long addresses of links are truncated next, where there
//     is a Read button, but never before the end of their host; their buttons still lead there.
//  5. A closed card divides the space of one message among its questions: the truncated question, the
//     choice in bold, after its number if it is truncated, and typed text marked as such.
//
// The plain form, posted when a platform refused the card, is one text and one Answer button; with
// pages, one question in one text and its buttons.
//
// # Untrusted text
//
// Texts of agents and people are sanitized first: control and invisible characters are removed, and so
// are those that change the reading direction; emoji and scripts keep their joiners. Truncation never
// splits what a reader sees as one character. Markdown of agents is parsed once for all platforms: in every
// text addresses, code and simple lists, and in the context also bold and italic text, headings, links,
// quotes, numbered and nested lists, and tables; see [Link], [Mono], [Code], [Bullet], [Bold], [Italic] and
// [Quote]. Everything else is shown as written. Each platform's renderer does the escaping, because the
// rules differ. People and groups are named live only where the platform knows them, and in words
// elsewhere; see [Who].
package render
