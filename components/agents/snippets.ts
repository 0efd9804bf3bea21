/** What the code of an agent is filled in with. */
export interface SnippetInput {
  origin: string;
  agent: { uid: string; callback_url: string; events: readonly string[] };
  /** The signing secret; null when it is not known any more. */
  secret: string | null;
  /** An API key for an agent that polls; null for none yet. */
  key: string | null;
}

const secretPlaceholder = "whsec_…";

/** The port that a callback's address names, or the usual one of a program behind a proxy. */
const readPort = (callback: string): number => Number(URL.canParse(callback) ? new URL(callback).port : "") || 8080;

const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The check that the code comes with: it decides results by whether anything is annotated. */
const nodeDecide = (events: readonly string[]): string =>
  events.includes("result.submitted")
    ? `/** Your check: approve, reject, flag or skip. This one approves results that have annotations. */
function decide(event) {
  if (event.event !== "result.submitted") return { action: "skip" };
  const count = event.result_metadata?.annotation_count ?? 0;
  if (count === 0) return { action: "flag", reason: "Nothing is annotated." };
  return { action: "approve", reason: \`\${count} annotated\`, metadata: { count } };
}`
    : `/** What your agent does with an event; then approve, reject, flag or skip. */
function decide(event) {
  console.log(event);
  return { action: "skip", reason: "received" };
}`;

const pythonDecide = (events: readonly string[]): string =>
  events.includes("result.submitted")
    ? `def decide(event):
    """Your check: approve, reject, flag or skip. This one approves results that have annotations."""
    if event["event"] != "result.submitted":
        return {"action": "skip"}
    count = event.get("result_metadata", {}).get("annotation_count", 0)
    if count == 0:
        return {"action": "flag", "reason": "Nothing is annotated."}
    return {"action": "approve", "reason": f"{count} annotated", "metadata": {"count": count}}`
    : `def decide(event):
    """What your agent does with an event; then approve, reject, flag or skip."""
    print(event, flush=True)
    return {"action": "skip", "reason": "received"}`;

const pollNode = ({ origin, agent, key }: SnippetInput): string => `// agent.mjs: node agent.mjs (Node 20 or newer)
const url = "${origin}/api/v1";
const agent = "${agent.uid}";
const key = ${key === null ? "process.env.MUSTER_API_KEY" : `"${key}"`};

${nodeDecide(agent.events)}

async function call(method, path, body) {
  const headers = { "X-Service-Api-Key": key, "Content-Type": "application/json" };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);
  return response.json();
}

for (;;) {
  try {
    const { results } = await call("GET", \`/agents/\${agent}/executions/?status=pending\`);
    for (const execution of results) {
      const decision = decide(execution.event_payload);
      await call("POST", "/agent-actions/", { execution: execution.uid, ...decision })
        .then(() => console.log(execution.event_type, decision.action))
        .catch((error) => console.error(execution.event_type, error.message));
    }
  } catch (error) {
    console.error(error.message);
  }
  await new Promise((resolve) => setTimeout(resolve, 5_000));
}`;

const pollPython = ({ origin, agent, key }: SnippetInput): string => `# agent.py: python3 agent.py (Python 3.8 or newer)
import json, ${key === null ? "os, " : ""}time, urllib.error, urllib.request

URL = "${origin}/api/v1"
AGENT = "${agent.uid}"
KEY = ${key === null ? 'os.environ["MUSTER_API_KEY"]' : `"${key}"`}

${pythonDecide(agent.events)}

def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-Service-Api-Key": KEY, "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, data, headers, method=method)
    return json.load(urllib.request.urlopen(request, timeout=30))

while True:
    try:
        for execution in call("GET", f"/agents/{AGENT}/executions/?status=pending")["results"]:
            decision = decide(execution["event_payload"])
            try:
                call("POST", "/agent-actions/", {"execution": execution["uid"], **decision})
                print(execution["event_type"], decision["action"], flush=True)
            except urllib.error.HTTPError as error:
                print(execution["event_type"], error.code, error.read().decode(), flush=True)
    except OSError as error:
        print(error, flush=True)
    time.sleep(5)`;

const pollCurl = ({ origin, agent, key }: SnippetInput): string => `# Takes the newest waiting execution and skips it.
URL=${origin}/api/v1
KEY=${key ?? "$MUSTER_API_KEY"}
WAITING=$(curl -fsS "$URL/agents/${agent.uid}/executions/?status=pending&limit=1" -H "X-Service-Api-Key: $KEY")
echo "$WAITING"
EXECUTION=$(echo "$WAITING" | grep -o '"uid":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
curl -fsS -X POST "$URL/agent-actions/" \\
  -H "X-Service-Api-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"execution": "'"$EXECUTION"'", "action": "skip", "reason": "from a terminal"}'`;

const pushNode = ({ agent, secret }: SnippetInput): string => `// agent.mjs: node agent.mjs (Node 20 or newer)
import { createHmac, timingSafeEqual } from "node:crypto";
import http from "node:http";

const secret = "${secret ?? secretPlaceholder}";
const port = ${readPort(agent.callback_url)};

${nodeDecide(agent.events)}

function isSigned(body, signature = "") {
  const expected = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

http
  .createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      if (!isSigned(body, request.headers["x-service-signature"])) return response.writeHead(401).end();
      const event = JSON.parse(body.toString());
      const decision = decide(event);
      console.log(event.event, decision.action);
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(decision));
    });
  })
  .listen(port, () => console.log(\`listening on \${port}\`));`;

const pushPython = ({ agent, secret }: SnippetInput): string => `# agent.py: python3 agent.py (Python 3.8 or newer)
import hashlib, hmac, json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "${secret ?? secretPlaceholder}"
PORT = ${readPort(agent.callback_url)}

${pythonDecide(agent.events)}

class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, self.headers.get("X-Service-Signature", "")):
            self.send_error(401)
            return
        event = json.loads(body)
        decision = decide(event)
        print(event["event"], decision["action"], flush=True)
        answer = json.dumps(decision).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

server = ThreadingHTTPServer(("", PORT), Agent)
print(f"listening on {PORT}", flush=True)
server.serve_forever()`;

const pushCurl = ({
  agent,
  secret,
}: SnippetInput): string => `# Sends your agent a test as Muster does, signed, and prints what it responds.
SECRET=${shellText(secret ?? secretPlaceholder)}
BODY='{"event":"test.ping","execution_uid":"00000000-0000-7000-8000-000000000000"}'
SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')
curl -fsS -X POST ${shellText(agent.callback_url)} \\
  -H "Content-Type: application/json" -H "X-Service-Event: test.ping" \\
  -H "X-Service-Signature: $SIGNATURE" \\
  -d "$BODY"`;

/** The code of an agent in several languages; each works as shown. */
export const agentSnippets = (input: SnippetInput): { label: string; code: string }[] =>
  input.agent.callback_url === ""
    ? [
        { label: "Node", code: pollNode(input) },
        { label: "Python", code: pollPython(input) },
        { label: "curl", code: pollCurl(input) },
      ]
    : [
        { label: "Node", code: pushNode(input) },
        { label: "Python", code: pushPython(input) },
        { label: "curl", code: pushCurl(input) },
      ];

/** Registering from a terminal, for the empty list. */
export const registerCommand = (origin: string): string => `curl -X POST ${origin}/api/v1/agents/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"name": "label check", "events": ["result.submitted"]}'`;
