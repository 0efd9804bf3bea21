// `npm run test:s3`: installs a real S3 server from Debian and runs the tests of buckets against it.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";
import { installS3Server } from "./s3-server.mjs";

process.chdir(root);
await bootstrapOrExit("nothing");
try {
  installS3Server();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  [tool.vitest, "run", "server/platform/storage/s3", "cli/s3", "cli/db/s3", ...process.argv.slice(2)],
  { stdio: "inherit", env: { ...process.env, S3_HOSTS: "run" } },
);
process.exit(status ?? 1);
