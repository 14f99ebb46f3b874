// Asks one question and prints what a person chose: node build/examples/first.js
import { Askbridge } from "@askbridge/sdk";

const bridge = new Askbridge(); // ASKBRIDGE_URL and ASKBRIDGE_TOKEN
const request = await bridge.ask({
  to: [{ platform: "slack", channel: "C0000001" }],
  questions: [{ question: "Which database?", options: ["Postgres", "SQLite"] }],
});
console.log(request.state === "answered" ? request.text : `no answer: ${request.state}`);
