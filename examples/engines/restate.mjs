const ingress = process.env.RESTATE_INGRESS ?? "http://127.0.0.1:8080";

// The session is the ID of an awakeable. Resolving it a second time changes nothing.
export async function wake(request) {
  const address = `${ingress}/restate/awakeables/${encodeURIComponent(request.session)}/resolve`;
  const reply = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) });
  if (!reply.ok) throw new Error(`Restate: ${reply.status}`);
}
