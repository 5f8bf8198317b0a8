"""Receives webhooks and prints what they say, if their signature is right.

`python3 receive.py`, with the secret of the webhook in WEBHOOK_SECRET.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

if "WEBHOOK_SECRET" not in os.environ:
    print("Usage: WEBHOOK_SECRET=whsec_… python3 receive.py, with the secret that was shown with the webhook", file=sys.stderr)
    sys.exit(2)
KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
PORT = int(os.environ.get("PORT", "8787"))
seen = set()  # Each message may arrive more than once.


def is_genuine(headers, body):
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine = is_genuine(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        message_id = self.headers.get("webhook-id")
        if not genuine:
            print(f"Refused {message_id}: it is too old, or not signed with WEBHOOK_SECRET", file=sys.stderr, flush=True)
        if not genuine or message_id in seen:
            return
        seen.add(message_id)
        event = json.loads(body)
        data = event["data"]
        if event["type"] == "reminder.due":
            print(f"Reminder: {data['thing']['text']} ({data['due_at']})", flush=True)
        elif event["type"] == "operation":
            print(f"Changed: {data['operation']['summary']}", flush=True)
        else:
            print(event["type"], flush=True)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", PORT), Receiver)
print(f"Waits at http://127.0.0.1:{PORT}/", file=sys.stderr, flush=True)
server.serve_forever()
