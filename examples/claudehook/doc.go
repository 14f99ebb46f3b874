// Package claudehook is an example of the Claude Code hook, which lets people answer in chat; see README.md. It has no
// code to import: the hook is the askbridge command.
package claudehook
