// Package render decides what a person sees.
//
// [Layout] turns a request into a [Card], [AnswerForm] and [WriteForm] into a
// [Form]: plain pictures that know no platform's SDK. The packages below render
// turn them into one platform's values; what is common to all platforms is
// decided here, once.
//
//	deploy-bot asks                          Frame: only the bridge writes here
//	Deploying 4.2                            Body: the agent's context
//	Database                                 Body: header, question, options
//	Which database should we use?            in full where a control cannot hold
//	1. Postgres – Managed                    them
//	[Postgres] [SQLite] [✎ Other…]           Row or Choice: the controls
//	[✓ Submit]                               Row: what sends all of them
//	Anyone in this channel can answer        Frame: who, and until when
//	[✎ Reply…] [✕ Dismiss…]                  Row: what ends it without an answer
//
// # Which controls
//
// A lone single-select question has a button per option everywhere: one tap.
// The rest follows from [Limits]:
//
//   - Where selections stay in each person's client (Slack), several questions
//     and multi-select ones are lists with one Submit.
//   - Where the message is updated for everybody (Discord), each option stays
//     a button and the draft's are marked. A chosen option of a multi-select
//     question carries [Drop], every other one [Choose], so that each button
//     says what it leads to. A set of single-select questions needs no Submit:
//     the last choice completes it. From [Limits].Menus questions on, menus
//     take the place of the buttons. Other is a button always.
//   - Where one form takes a few questions ([Limits].FormFields, Discord), several
//     questions are answered in forms: the card shows them with their options, and
//     each page has a button for the form with its questions ([PartForm]). Sets
//     with questions that can be skipped, or with notes, stay on the card.
//   - Several questions have Reply beside Dismiss, for words that fit none of
//     them: it ends the request. A single question has Other for that.
//   - What ends a request without an answer stands last, apart from what answers
//     it, and opens a form first: no single tap does.
//   - A question with more options than [Limits].Buttons is a menu everywhere.
//
// # Whose button it is
//
// Every button of the bridge begins with one of [Signs], and no option does: one
// that begins with what could be a sign, or whose words could be taken for those
// of a button of ours, has the whole question's options numbered. The answer is
// the label as the agent sent it.
//
// # What is cut, and in which order
//
// Nothing is lost: what a card cuts stands in full behind one of its buttons.
//
//  1. A control that cannot hold its option shows a cut and numbered label, and
//     the option stands in full in the text above, with description and sample.
//  2. A set with too many questions, or too much text for one message, becomes
//     an outline with an Answer button, which opens a form with everything
//     (Slack). Where no form can hold everything ([Limits].Pages, Discord) it
//     becomes pages with as many whole questions each as fit; everybody sees
//     the same page, [Subject].At.
//  3. In the outline every text is cut to a line or two. On a page only a
//     question that no page can hold is cut, as little as it takes, and so is a
//     context that leaves no room for the first question; a Read button tells
//     [FullText] to who presses it.
//  4. What gathers around the questions of an open card, such as what people have
//     asked the agent, the steps of a schedule and votes, is cut before a question
//     would become a mere beginning: the oldest first, and told by number.
//     Long addresses of links are cut next, where there is a Read button, but never before
//     the end of their host; their buttons lead where they did.
//  5. A closed card shares what one message may hold among its questions: cut
//     question, what was chosen in bold, behind its number where it is cut, typed
//     text marked as such.
//
// The plain form, posted when a platform refused the card, is one text and one
// Answer button; with pages, one question in one text and its buttons.
//
// # Other people's text
//
// Texts of agents and people are cleaned before anything else happens: control
// and invisible characters go, and so do those that turn the reading direction
// around; emoji and scripts keep their joiners. Cutting never parts what a
// reader sees as one character. Of an agent's Markdown a little is found, once for all
// platforms: addresses, code and simple lists, see [Link], [Mono], [Code] and [Bullet].
// Everything else is shown as it was written. Escaping is left to the platform's renderer,
// since each has its own rules. People and groups are named live only where the
// platform knows them, and in words elsewhere; see [Who].
package render
