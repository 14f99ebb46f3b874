// Writes src/schema.ts from the OpenAPI document; with --check it only says whether that would change anything.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const source = new URL("../../../docs/reference/openapi.json", import.meta.url);
const target = new URL("../src/schema.ts", import.meta.url);

const document = JSON.parse(await readFile(source, "utf8"));
document.paths = {}; // The client knows its calls; it is the types that must not drift.
delete document.webhooks;
const types = astToString(await openapiTS(document, { immutable: true, alphabetize: true }));
const text = `// Code generated from docs/reference/openapi.json by "make sdk-types"; DO NOT EDIT.\n\n${types}`;

if (!process.argv.includes("--check")) {
  await writeFile(target, text);
} else if (text !== (await readFile(target, "utf8"))) {
  console.error('src/schema.ts is not what docs/reference/openapi.json makes: run "make sdk-types" and read the difference');
  process.exitCode = 1;
}
