package app

import "github.com/askbridge/askbridge/mcpserver"

// MCP is the path of the MCP server, over streamable HTTP.
const MCP = "/mcp"

// mcp creates the MCP server. It has the same access control as the API.
func (a *App) mcp() (*mcpserver.Server, error) {
	return mcpserver.New(&mcpserver.Options{
		MaxQuestions: a.cfg.MaxQuestions, MaxOptions: a.cfg.MaxOptions, Version: a.opts.Version, Logger: a.log,
	})
}
