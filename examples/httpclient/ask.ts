// Passes a tool input on to people and returns the tool's result, byte for byte.
// Runs in Node 22, Deno and Bun. A page in a browser cannot call a bridge, which answers no other origin: a token in a
// page would be that of everybody who opens it.

export type Result = { body: string; state: string; isError: boolean; requestId: string | null };

// ask waits for as long as it takes. The same call is made again until there is
// a result: by its toolCallId it goes on where it was, also when a reply was lost
// or the bridge restarted, and people are asked once. The result echoes the
// input's own bytes, for which GET /v1/requests/{id}?as=… would not have the input.
export async function ask(
  bridge: string, // such as http://127.0.0.1:8080
  dialect: string, // such as gemini
  place: string, // such as slack:C0000001
  toolCallId: string,
  toolInput: string,
  token?: string,
): Promise<Result> {
  const query = new URLSearchParams({ to: place, tool_call_id: toolCallId, wait: "25s" });
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (token) headers["Authorization"] = `Bearer ${token}`;
  for (;;) {
    let pause = 1;
    try {
      const reply = await fetch(`${bridge}/v1/ask/${dialect}?${query}`, { method: "POST", headers, body: toolInput });
      const body = await reply.text();
      const state = reply.headers.get("Askbridge-State") ?? "";
      if (reply.ok && state !== "open") {
        return { body, state, isError: reply.headers.get("Askbridge-Is-Error") === "true", requestId: reply.headers.get("Askbridge-Request-Id") };
      }
      if (reply.status >= 400 && reply.status < 500 && reply.status !== 429) throw new Error(`askbridge: ${reply.status} ${body}`);
      pause = reply.ok ? 0 : Number(reply.headers.get("Retry-After") ?? 1);
    } catch (problem) {
      if (!(problem instanceof TypeError)) throw problem; // A TypeError is a bridge that cannot be reached.
    }
    await new Promise((done) => setTimeout(done, 1000 * pause));
  }
}
