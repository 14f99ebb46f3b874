#!/usr/bin/env bash
# Asks two people before it runs a migration: migrate.sh FILE
# docs/recipes/scripts.md explains it.
set -euo pipefail

migration=$(mktemp)
trap 'rm -f "$migration"' EXIT
cp "$1" "$migration"
answer=$(askbridge ask --route deploys --key "migration-$(sha256sum "$migration" | cut -c1-32)" --file "migration.sql=$migration" \
	--need 2 --no-other --expires-in 4h "Run this migration on production?" Run Stop)
[[ $answer == Run ]] || exit 3
psql "$DATABASE_URL" --set ON_ERROR_STOP=1 --single-transaction --file "$migration"
