// Package listings tests the files by which directories and hosts find askbridge: server.json of the MCP registry,
// the GitHub Action, the annotations of the chart and the links that install the MCP server in editors. It also checks the
// workflows that publish a release.
package listings
