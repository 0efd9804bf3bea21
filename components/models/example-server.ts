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

/** A server for a model that segments what somebody points at; shown and run as the one above. */
export const promptServer = `import hashlib
import hmac
import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["MUSTER_MODEL_SECRET"].encode()


def segment(picture, prompt, width, height):
    """Your model: a row of 0 and 1 for each row of the picture, 1 on what the prompt means."""
    x, y, across, down = prompt.get("box") or [prompt["points"][0][0] - 10, prompt["points"][0][1] - 10, 20, 20]
    return [[int(x <= column < x + across and y <= row < y + down) for column in range(width)] for row in range(height)]


def to_text(runs):
    """Run lengths as COCO writes them."""
    text = ""
    for at, run in enumerate(runs):
        rest, is_more = run - (runs[at - 2] if at > 2 else 0), True
        while is_more:
            bits, rest = rest & 31, rest >> 5
            is_more = rest != (-1 if bits & 16 else 0)
            text += chr(48 + bits + 32 * is_more)
    return text


def to_mask(rows):
    """The mask of an annotation: the pixels of the box around it, column by column, outside first."""
    columns = list(zip(*rows))
    ys = [y for y, row in enumerate(rows) if any(row)]
    xs = [x for x, column in enumerate(columns) if any(column)]
    runs, last = [0], 0
    for pixel in (pixel for column in columns[xs[0] : xs[-1] + 1] for pixel in column[ys[0] : ys[-1] + 1]):
        if pixel != last:
            runs, last = runs + [0], pixel
        runs[-1] += 1
    box = [xs[0], ys[0], xs[-1] + 1 - xs[0], ys[-1] + 1 - ys[0]]
    return {"size": [len(rows), len(columns)], "counts": to_text(runs), "box": box}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        right = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(right, self.headers.get("X-Service-Signature", "")):
            return self.send_error(401)
        request = json.loads(body)
        with urllib.request.urlopen(request["item"]["data_url"]) as file:
            picture = file.read()
        size = request["item"]["metadata"]
        mask = to_mask(segment(picture, request["prompt"], size["width"], size["height"]))
        label = (request["labels"] or ["object"])[0]
        found = {"label": label, "type": "mask", "coordinates": mask, "attributes": {"score": 0.9}}
        answer = json.dumps({"predictions": [found]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


ThreadingHTTPServer(("", int(os.environ.get("PORT", "4100"))), Model).serve_forever()
`;
