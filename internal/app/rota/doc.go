// Package rota reads who is on call from an iCalendar (https://www.rfc-editor.org/rfc/rfc5545): each event is a turn of the people it names.
//
// A [Feed] reads a file or an https address every few minutes and keeps the last copy, so that asking who is on call never waits:
//
//	feed := rota.NewFeed("payments", source, rota.Names{"Dana Meyer": "dana"}, time.UTC, nil)
//	go feed.Run(ctx)
//	who, err := feed.OnCall(time.Now()) // [dana]
//
// Calendars are read as the products that write them show them: see the corpus in testdata. lines.go finds the lines that a rota
// needs, zones.go and values.go read times and rules, event.go reads one event, series.go combines the events of one series, and
// calendar.go expands them around a moment.
//
// An event that is not understood is never left out silently. It makes OnCall fail for as long as it could change who is on call;
// otherwise it is skipped and reported by [Feed.Skipped]. A copy that cannot be read at all changes nothing.
package rota
