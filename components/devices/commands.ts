import { heartbeatTiming } from "@/domain/devices/connectivity";

export interface Credentials {
  origin: string;
  token: string;
  /** The device's name. */
  name: string;
}

/** A name as part of a file or unit name: `Arm 04 (left)` → `arm-04-left`. */
const fileName = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60) || "device";

/** What the file for the device holds; the command line and the unit below read the same two names. */
export const envFile = ({ origin, token, name }: Credentials) => ({
  name: `${fileName(name)}.env`,
  content: `MUSTER_URL=${origin}\nMUSTER_DEVICE_TOKEN=${token}\n`,
});

const heartbeat = ({
  origin,
  token,
}: Credentials): string => `curl -X POST ${origin}/api/v1/fleet/devices/me/heartbeat/ \\
  -H "X-Service-Device-Token: ${token}" \\
  -H "Content-Type: application/json" \\
  -d '{"firmware_version": "1.0.0", "metrics": {"battery": 0.87}}'`;

const python = ({ origin, token }: Credentials): string => `# python3 upload.py run.mcap
import json, os, sys, urllib.parse, urllib.request

URL = "${origin}"
TOKEN = "${token}"

def call(path, body):
    request = urllib.request.Request(
        f"{URL}/api/v1/fleet/recordings/{path}", json.dumps(body).encode(),
        {"X-Service-Device-Token": TOKEN, "Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))

file = sys.argv[1]
name, size = os.path.basename(file), os.path.getsize(file)

recording = call("", {"name": name})["uid"]
session = call(f"{recording}/upload/init/", {"files": [{"path": name, "size_bytes": size}]})["uid"]
target = call(f"{recording}/upload/urls/", {"session_uid": session, "file_paths": [name]})["urls"][0]
with open(file, "rb") as data:
    headers = {**target["headers"], "Content-Length": str(size)}
    put = urllib.request.Request(urllib.parse.urljoin(URL, target["put_url"]), data, headers, method="PUT")
    etag = urllib.request.urlopen(put).headers["ETag"]
call(f"{recording}/upload/confirm/", {
    "session_uid": session, "files": [{"path": name, "etag": etag, "size_bytes": size}]})
call(f"{recording}/upload/finalize/", {"session_uid": session})
print(f"{recording} is being processed")`;

const commandLine = ({
  origin,
  token,
}: Credentials): string => `# In a checkout of Muster. Resumes where it stopped; several files make one recording.
MUSTER_URL=${origin} \\
MUSTER_DEVICE_TOKEN=${token} \\
npm run muster -- upload run.mcap --wait`;

// systemd replaces $NAME itself unless the dollar is doubled; the shell below should do it.
const unit = (credentials: Credentials): string => {
  const env = `/etc/muster/${envFile(credentials).name}`;
  return `# /etc/systemd/system/muster-heartbeat.service
# Store the .env file as ${env}, then:
#   sudo systemctl enable --now muster-heartbeat
[Unit]
Description=Tells Muster that ${credentials.name.replace(/[^\x20-\x7e]|%/g, "?")} is alive
Wants=network-online.target
After=network-online.target

[Service]
EnvironmentFile=${env}
ExecStart=/bin/sh -c 'while :; do curl -fsS -m 10 -o /dev/null -X POST \\
  -H "X-Service-Device-Token: $$MUSTER_DEVICE_TOKEN" -H "Content-Type: application/json" -d "{}" \\
  "$$MUSTER_URL/api/v1/fleet/devices/me/heartbeat/"; sleep ${heartbeatTiming.intervalSeconds}; done'
Restart=always
DynamicUser=yes

[Install]
WantedBy=multi-user.target`;
};

/** Ways to connect a device that was just registered; each works as shown. */
export const connectTabs = (credentials: Credentials) => [
  { label: "curl heartbeat", code: heartbeat(credentials) },
  { label: "Python upload", code: python(credentials) },
  { label: "Terminal upload", code: commandLine(credentials) },
  { label: "systemd unit", code: unit(credentials) },
];

/** Registering from a terminal, for the empty list. */
export const registerCommand = (origin: string): string => `curl -X POST ${origin}/api/v1/fleet/devices/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"name": "arm-01", "type": "manipulator", "tags": ["hall-1"]}'`;

/** Uploading from a terminal, for a device without recordings. */
export const uploadCommand = (origin: string): string => `MUSTER_URL=${origin} \\
MUSTER_DEVICE_TOKEN=svd_… \\
npm run muster -- upload run.mcap --wait`;
