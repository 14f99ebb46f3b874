// Generates src/schema.ts from the OpenAPI document. With --check it only reports whether the file is up to date.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const source = new URL("../../../docs/reference/openapi.json", import.meta.url);
const target = new URL("../src/schema.ts", import.meta.url);

const document = JSON.parse(await readFile(source, "utf8"));
document.paths = {}; // The client needs only the types of the schemas.
delete document.webhooks;
const types = astToString(await openapiTS(document, { immutable: true, alphabetize: true }));
const text = `// Code generated from docs/reference/openapi.json by "make sdk-types"; DO NOT EDIT.\n\n${types}`;

if (!process.argv.includes("--check")) {
  await writeFile(target, text);
} else if (text !== (await readFile(target, "utf8"))) {
  console.error('src/schema.ts is out of date: run "make sdk-types" and review the diff');
  process.exitCode = 1;
}
