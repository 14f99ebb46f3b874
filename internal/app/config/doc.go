// Package config reads the configuration file: one strict YAML document, handed on as plain structs.
//
// Strict means that whatever is not understood is an error with its line and column: an unknown key, a key given twice, a
// number where text belongs. All of them are reported at once. Any scalar may take its value from elsewhere, so that
// nothing secret needs to stand in the file:
//
//	bot_token: ${SLACK_BOT_TOKEN}             the environment
//	level: ${LOG_LEVEL:-info}                 the environment, or this
//	password: ${file:/run/secrets/redis}      a file, without the line break at its end
//
// References are expanded one scalar at a time after the YAML has been parsed, so no value can add a key. An error never
// quotes a value, and a [Secret] prints as [redacted] wherever it ends up.
package config
