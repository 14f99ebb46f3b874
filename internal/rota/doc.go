// Package rota tells who is on call by an iCalendar (https://www.rfc-editor.org/rfc/rfc5545): each event of it is a turn, and
// whoever it names has it.
//
// A [Feed] reads a file or an https address again every few minutes and keeps what it read last, so that asking who is on
// call never waits:
//
//	feed := rota.NewFeed(source, rota.Names{"Dana Meyer": "dana"}, time.UTC, nil)
//	go feed.Run(ctx)
//	feed.OnCall(time.Now()) // [dana]
//
// What is not understood is an error that names the event, never a turn that is quietly left out: a recurrence more often than
// daily, a zone that is no name of the IANA database, a change of "this and all that follow". A copy that cannot be
// read changes nothing.
package rota
