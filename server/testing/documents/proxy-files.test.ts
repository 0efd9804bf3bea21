import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { listFences } from "@/server/testing/documents/fences";

/**
 * The configurations of docs/operations/proxy.md, read by the proxies themselves. `npm run test:deploy` fetches them and
 * names them in NGINX and CADDY; where they are missing, only the directives that uploads and streams need are compared.
 */

const [nginx, caddy] = ["nginx", "Caddy"].map(
  (heading) => listFences("docs/operations/proxy.md").find((fence) => fence.heading === heading)?.text ?? "",
) as [string, string];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "proxy-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function runs(file: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(file, args, { encoding: "utf8", env: { ...process.env, HOME: folder } });
  expect(status, `${stderr}${error?.message ?? ""}`).toBe(0);
}

describe("the page about proxies", () => {
  test("has nginx stream uploads and events, and pass on who calls by what protocol", () => {
    for (const directive of [
      "proxy_buffering off",
      "proxy_request_buffering off",
      "client_max_body_size 0",
      "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for",
      "proxy_set_header X-Forwarded-Proto $scheme",
    ])
      expect(nginx).toContain(`${directive};`);
  });

  test("has Caddy flush at once and ask /readyz", () => {
    expect(caddy).toContain("flush_interval -1");
    expect(caddy).toContain("health_uri /readyz");
  });

  test.skipIf(!process.env.NGINX)("shows a configuration that nginx accepts", () => {
    const at = (name: string) => path.join(folder, name);
    runs("openssl", [
      ..."req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=muster.example.com".split(" "),
      "-keyout",
      at("muster.key"),
      "-out",
      at("muster.pem"),
    ]);
    const site = nginx.replaceAll("/etc/ssl/muster", at("muster"));
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${at(name)};`)
      .join("\n");
    fs.writeFileSync(
      at("nginx.conf"),
      `pid ${at("pid")};\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}\n}\n`,
    );
    runs(process.env.NGINX ?? "", ["-t", "-e", at("error.log"), "-c", at("nginx.conf")]);
  });

  test.skipIf(!process.env.CADDY)("shows a configuration that Caddy accepts", () => {
    const file = path.join(folder, "Caddyfile");
    fs.writeFileSync(file, caddy);
    runs(process.env.CADDY ?? "", ["validate", "--config", file, "--adapter", "caddyfile"]);
  });
});
