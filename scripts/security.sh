#!/usr/bin/env bash
# Looks for what must not ship: licences that ask for more than attribution,
# secrets anywhere in the history, and code with vulnerabilities that are known.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=.tools/security
failed=0

"$tools/licences" -check docs/reference/licences.md || failed=1

"$tools/gitleaks" git . --no-banner --no-color --redact --verbose --log-level warn || failed=1

# The data of govulncheck is read from the network at every run.
data=${GOVULNDB:-https://vuln.go.dev}
if [[ $data == file://* ]] || curl --silent --fail --max-time 10 --output /dev/null "$data/index/db.json"; then
	"$tools/govulncheck" -db "$data" ./... || failed=1
else
	cat >&2 <<-END

		************************************************************************
		* NOT LOOKED FOR: known vulnerabilities. Their data is not to be had at
		* $data
		* Run "make security" where it is, or set GOVULNDB to a copy of it.
		************************************************************************

	END
fi
exit "$failed"
