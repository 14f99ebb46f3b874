#!/usr/bin/env bash
# Asks before terraform apply.
# docs/recipes/scripts.md explains it.
set -euo pipefail

terraform plan -input=false -out=plan.tfplan
terraform show -no-color plan.tfplan >plan.txt
answer=$(askbridge ask --route deploys --key "terraform-$(sha256sum plan.tfplan | cut -c1-32)" --file plan.txt \
	--no-other --expires-in 1h "Apply this plan?" Apply Stop)
[[ $answer == Apply ]] || exit 3
terraform apply -input=false plan.tfplan
