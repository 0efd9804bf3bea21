/** A server for a model of one's own, as the guide shows it; a test runs it against the product. */
export const exampleServer = `import hashlib
import hmac
import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["MUSTER_MODEL_SECRET"].encode()


def detect(picture, wanted):
    """Your model: it gets the bytes of a file and returns what it sees there."""
    return [
        {
            "label": wanted[0] if wanted else "object",
            "type": "bbox",
            "coordinates": {"x": 10, "y": 10, "width": 20, "height": 15},
            "attributes": {"score": 0.5},
        }
    ]


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        right = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(right, self.headers.get("X-Service-Signature", "")):
            return self.send_error(401)
        request = json.loads(body)
        with urllib.request.urlopen(request["item"]["data_url"]) as file:
            picture = file.read()
        answer = json.dumps({"predictions": detect(picture, request["labels"])}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


ThreadingHTTPServer(("", int(os.environ.get("PORT", "4100"))), Model).serve_forever()
`;
