// Passes a tool input on to people and returns the tool's result, byte for byte.
// Runs in Node 22, Deno, Bun and browsers.

export type Result = { body: string; state: string; isError: boolean; requestId: string | null };

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
    // The same call goes on where it was.
    const reply = await fetch(`${bridge}/v1/ask/${dialect}?${query}`, { method: "POST", headers, body: toolInput });
    if (!reply.ok) throw new Error(`askbridge: ${reply.status} ${await reply.text()}`);
    const body = await reply.text();
    const state = reply.headers.get("Askbridge-State") ?? "";
    if (state !== "open") {
      return { body, state, isError: reply.headers.get("Askbridge-Is-Error") === "true", requestId: reply.headers.get("Askbridge-Request-Id") };
    }
  }
}
