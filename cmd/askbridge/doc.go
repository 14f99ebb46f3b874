// Askbridge lets agents ask people in chat and returns their answers.
//
//	askbridge serve          run the bridge
//	askbridge sim            try it: a bridge, both mock platforms and a sample agent on this machine
//	askbridge init           set up Slack or Discord step by step
//	askbridge ask            ask people from a shell, or in the format of an agent host
//	askbridge hook claude    answer Claude Code's questions from chat
//	askbridge connect        answer the questions of a host with its own protocol
//	askbridge mcp            serve an MCP client on standard input and output
//	askbridge doctor         check the configuration against Slack, Discord and the store
//	askbridge config check   check the configuration file
//	askbridge slack, discord help with the setup of a platform
//	askbridge webhooks       list and replay failed webhooks
//	askbridge store migrate  move from a file to Redis
//	askbridge version        print the version
//
// The commands are thin: serve runs package internal/app, and sim runs the same App with the mock platforms.
package main
