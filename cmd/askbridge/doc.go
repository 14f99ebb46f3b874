// Askbridge lets agents ask people in chat, and hands the answer back.
//
//	askbridge serve          run the bridge
//	askbridge sim            try it: a bridge, a mock Slack and a sample agent on this machine
//	askbridge config check   look for mistakes in the configuration
//	askbridge version        say what this is
//
// The commands are thin: serve is package internal/app, and sim puts the same App in front of a mock Slack.
package main
