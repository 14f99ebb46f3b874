// Package mocks starts a strict Slack and a strict Discord on TCP ports, for bots in any language: what askbridge sim
// --mocks serves. It has no part in what the doubles do; it says where they are and how bots reach them, in texts that
// work as they stand.
package mocks
