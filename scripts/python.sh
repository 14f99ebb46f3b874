#!/usr/bin/env bash
# Prints the Python that can run the tests of the Python SDK: the one in PATH, or the system's own, which has Debian's
# packages.
set -euo pipefail

for python in python3 /usr/bin/python3; do
	if "$python" -c 'import hatchling, httpx, mypy, pytest, trio, sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then
		echo "$python"
		exit 0
	fi
done
echo "python: no python3 from version 3.10 has httpx, pytest, mypy, hatchling and trio; run make setup" >&2
exit 1
