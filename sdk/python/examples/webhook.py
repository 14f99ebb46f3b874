"""Receives webhooks on port 8081: ASKBRIDGE_WEBHOOK_SECRET=whsec_… python3 examples/webhook.py"""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from askbridge import SignatureError, verify_webhook

SECRET = os.environ.get("ASKBRIDGE_WEBHOOK_SECRET", "")


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        try:
            request = verify_webhook(body, dict(self.headers), SECRET).data
            result = request.text if request.state == "answered" else f"no answer: {request.state}"
            print(request.id, result, flush=True)
            self.send_response(204)
        except SignatureError:
            self.send_response(401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8081"))), Receiver).serve_forever()
