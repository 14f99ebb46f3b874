import { Client, Connection } from "@temporalio/client";

const client = new Client({ connection: await Connection.connect() });

// The workflow ignores a second signal: it waits for the first one alone.
export const wake = (request) => client.workflow.getHandle(request.session).signal("answered", request);
