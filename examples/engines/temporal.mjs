import { Client, Connection } from "@temporalio/client";

const client = new Client({ connection: await Connection.connect() });

// The workflow ignores a second signal: it waits only for the first one.
export const wake = (request) => client.workflow.getHandle(request.session).signal("answered", request);
