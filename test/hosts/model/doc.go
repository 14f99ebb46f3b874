// Package model is a scripted model provider for tests of agent hosts. It listens on loopback and speaks the streaming
// APIs that hosts use:
//
//	POST /v1/messages                                   Anthropic Messages
//	POST /v1/responses                                  OpenAI Responses
//	POST /v1/chat/completions                           OpenAI Chat Completions
//	POST /v1beta/models/{model}:streamGenerateContent   Gemini
//
// A script is a list of turns. Each turn is a text of the model, or the tools that it calls next. The server records
// every request, so that a test can assert the exact text that a real model would read as the result of a tool call.
//
// The server is strict: an unexpected request, a tool that the host did not offer, an unknown path, an
// invalid body and an unused turn are problems. [Start] fails the test for each of them.
// Requests that offer no tools, such as those for a title of the session, get a fixed text and use no turn.
package model
