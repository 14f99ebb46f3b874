// Askbridge lets agents ask people in chat, and hands the answer back.
//
//	askbridge serve          run the bridge
//	askbridge sim            try it: a bridge, both mock platforms and a sample agent on this machine
//	askbridge ask            ask people from a shell, or in the form of an agent host
//	askbridge hook claude    answer Claude Code's questions from chat
//	askbridge connect        answer the questions of a host with a protocol of its own
//	askbridge mcp            serve an MCP client on standard input and output
//	askbridge doctor         look whether everything the configuration names works
//	askbridge config check   look for mistakes in the configuration
//	askbridge slack, discord help to set the platforms up
//	askbridge webhooks       list calls to agents that were given up, and make them again
//	askbridge store migrate  move from a file to Redis
//	askbridge version        say what this is
//
// The commands are thin: serve is package internal/app, and sim puts the same App in front of the mock platforms.
package main
