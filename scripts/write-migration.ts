import fs from "node:fs";
import path from "node:path";
import pino from "pino";
import { readMigrations } from "@/server/platform/database/migration-files";
import { schemaDifference } from "@/server/platform/database/schema-engine";
import { openTestRun, scratchDatabase } from "@/server/testing/database";

const usage = `Usage: npm run migration -- NAME      writes prisma/migrations/NNNN_NAME for the changes in prisma/schema
       npm run migration -- --check  fails when the migrations do not match prisma/schema`;

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Runs `npm run migration`. Resolves to the exit code. */
async function main(argument: string | undefined): Promise<number> {
  if (!argument || (argument !== "--check" && !/^[a-z][a-z0-9_]*$/.test(argument))) {
    process.stderr.write(`${usage}\n`);
    return 1;
  }
  const run = await openTestRun(pino({ level: "warn" }));
  try {
    const migrations = readMigrations();
    const sql = await schemaDifference(await scratchDatabase(run), migrations, path.resolve("prisma/schema"));
    if (argument === "--check") {
      print(sql === "" ? "The migrations match prisma/schema." : `The migrations lack:\n\n${sql}`);
      return sql === "" ? 0 : 1;
    }
    if (sql === "") {
      print("Nothing in prisma/schema changed.");
      return 0;
    }
    const number = Math.max(0, ...migrations.map(({ name }) => Number.parseInt(name, 10))) + 1;
    const folder = path.resolve("prisma/migrations", `${String(number).padStart(4, "0")}_${argument}`);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, "migration.sql"), `${sql}\n`);
    print(`Wrote ${path.relative(process.cwd(), folder)}/migration.sql. Read it before you commit it.`);
    return 0;
  } finally {
    await run.close();
  }
}

process.exit(await main(process.argv[2]));
