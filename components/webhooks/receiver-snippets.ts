const node = `import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.MUSTER_WEBHOOK_SECRET;

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const right = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(request.headers["x-service-signature"] ?? "", "hex");
  if (given.length !== right.length || !timingSafeEqual(given, right)) return response.writeHead(401).end();
  console.log(JSON.parse(body.toString()));
  response.writeHead(204).end();
}).listen(process.env.PORT ?? 4000);
`;

const python = `import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["MUSTER_WEBHOOK_SECRET"].encode()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        right = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        valid = hmac.compare_digest(right, self.headers.get("X-Service-Signature", ""))
        if valid:
            print(json.loads(body))
        self.send_response(204 if valid else 401)
        self.end_headers()


HTTPServer(("", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()
`;

const go = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	secret := []byte(os.Getenv("MUSTER_WEBHOOK_SECRET"))
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		given, _ := hex.DecodeString(r.Header.Get("X-Service-Signature"))
		mac := hmac.New(sha256.New, secret)
		mac.Write(body)
		if err != nil || !hmac.Equal(given, mac.Sum(nil)) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		log.Printf("%s", body)
		w.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	log.Fatal(http.ListenAndServe(":"+port, nil))
}
`;

/** Receivers that verify signatures, ready to run: the secret is in MUSTER_WEBHOOK_SECRET, the port in PORT. */
export const receiverSnippets = [
  { label: "Node", code: node },
  { label: "Python", code: python },
  { label: "Go", code: go },
] as const;
