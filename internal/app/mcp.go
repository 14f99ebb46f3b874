package app

import "github.com/askbridge/askbridge/mcpserver"

// MCP is where MCP clients find the tools, over streamable HTTP.
const MCP = "/mcp"

// mcp makes the MCP server. The gate says who may ask what, where and how much, as it does of the API.
func (a *App) mcp() (*mcpserver.Server, error) {
	return mcpserver.New(&mcpserver.Options{
		MaxQuestions: a.cfg.MaxQuestions, MaxOptions: a.cfg.MaxOptions, Version: a.opts.Version, Logger: a.log,
	})
}
