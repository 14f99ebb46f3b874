// Package claudehook shows how Claude Code's questions are answered in chat; see
// README.md. There is nothing to import: the hook is askbridge itself.
package claudehook
