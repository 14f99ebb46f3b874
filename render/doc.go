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
//	[Postgres] [SQLite] [Other…]             Row or Choice: the controls
//	[Dismiss]                                Row: what concerns the whole card
//	Anyone in this channel can answer        Frame: who, and until when
//
// # What is cut, and in which order
//
// Nothing is lost: whatever a card cuts stands in full in the form behind its
// Answer button.
//
//  1. A control that cannot hold its option shows a cut and numbered label, and
//     the option stands in full in the text above, with description and sample.
//  2. A set with too many questions, or too much text for one message, becomes
//     an outline with an Answer button.
//  3. In the outline every text is cut to a line or two.
//  4. A closed card shares what one message may hold among its questions: cut
//     question, what was chosen in bold, typed text marked as such.
//
// The plain form, posted when a platform refused the card, is one text and one
// Answer button.
//
// # Other people's text
//
// Texts of agents and people are cleaned before anything else happens: control
// and invisible characters go, and so do those that turn the reading direction
// around; emoji and scripts keep their joiners. Cutting never parts what a
// reader sees as one character. Escaping is left to the platform's renderer,
// since each has its own rules.
package render
