#!/usr/bin/env bash
# Asks before it deletes old backups below $BACKUPS.
# docs/recipes/scripts.md explains it.
set -euo pipefail

old=$(find "$BACKUPS" -name '*.dump' -mtime +30)
[[ -n $old ]] || exit 0
answer=$(askbridge ask --route deploys --key "cleanup-$(date +%G-W%V)" --context "$(wc -l <<<"$old") files in $BACKUPS" \
	--no-other --expires-in 8h "Delete backups that are older than 30 days?" Delete Keep)
[[ $answer == Delete ]] || exit 0
xargs -d '\n' rm -- <<<"$old"
