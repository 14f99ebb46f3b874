// Package listings tests the files by which directories and hosts find askbridge: server.json of the MCP registry, and
// the GitHub Action.
package listings
