// Submits a tool input to the bridge, waits for an answer, and returns the tool result byte for byte.
// Runs in Node 22, Deno and Bun. It does not run in a browser: the bridge allows no other origin, because a token in a web page would be
// public.

export type Result = { body: string; state: string; isError: boolean; requestId: string | null };

// ask waits for the result, however long that takes. It repeats the same call until
// there is a result. The toolCallId identifies the request, so people are asked only
// once, even if a reply is lost or the bridge restarts. The call is repeated instead of
// GET /v1/requests/{id}?as=…, because the result contains bytes of the input.
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
      if (!(problem instanceof TypeError)) throw problem; // fetch throws a TypeError if the bridge is unreachable.
    }
    await new Promise((done) => setTimeout(done, 1000 * pause));
  }
}
