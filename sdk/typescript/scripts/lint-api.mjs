// Lints the OpenAPI document with Redocly's strictest recommended rules.
import { createConfig, formatProblems, getTotals, lint } from "@redocly/openapi-core";

const config = await createConfig({
  extends: ["recommended-strict"],
  rules: {
    "operation-description": "error",
    "operation-singular-tag": "error",
    "operation-tag-defined": "error",
    "parameter-description": "error",
    "no-invalid-schema-examples": "error",
    "no-invalid-parameter-examples": "error",
    "operation-4xx-response": "off", // The probes and the document itself have no client errors.
  },
});
const problems = await lint({ ref: new URL("../../../docs/reference/openapi.json", import.meta.url).pathname, config });
const totals = getTotals(problems);
formatProblems(problems, { totals, format: "codeframe", version: "" });
if (totals.errors + totals.warnings > 0) process.exitCode = 1;
else console.log("docs/reference/openapi.json: no problems");
