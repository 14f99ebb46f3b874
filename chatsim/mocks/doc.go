// Package mocks starts a strict Slack and a strict Discord on TCP ports, for bots in any
// language: the server behind askbridge sim --mocks. It does not change the doubles; it
// configures their addresses and generates the connection instructions.
package mocks
