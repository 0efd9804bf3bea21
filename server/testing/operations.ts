import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { registry } from "@/server/composition/rest-registry";
import { appRouter } from "@/server/composition/trpc-root";
import { root } from "@/server/testing/architecture/source-tree";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/** What the tables over all operations run over. */
interface Selection {
  operations: readonly Endpoint[];
  /** The names of procedures, such as `devices.list`. */
  procedures: readonly string[];
}

const isRouter = z.looseObject({ _def: z.looseObject({ procedures: z.record(z.string(), z.unknown()) }) });

/** What the files of a folder that declare operations or procedures export. */
async function readDeclared(part: string): Promise<Set<unknown>> {
  const folder = path.join(root, part);
  const files = fs.existsSync(folder)
    ? fs.readdirSync(folder).filter((file) => /^([\w-]+-)?(rest|trpc)\.ts$/.test(file))
    : [];
  const exported: unknown[] = [];
  for (const file of files) {
    const declared: object = await import(/* @vite-ignore */ `@/${part}/${file}`);
    exported.push(...Object.values(declared));
  }
  return new Set(
    exported.flatMap((each) => [each, ...Object.values(isRouter.safeParse(each).data?._def.procedures ?? {})]),
  );
}

/**
 * The operations and procedures that these folders declare, such as `server/features/events`; all without folders. A
 * folder that declares none is an error, because the tables would prove nothing about it.
 */
export async function selectOperations(parts: readonly string[] | undefined): Promise<Selection> {
  const procedures = Object.entries<unknown>(appRouter._def.procedures);
  if (parts === undefined) return { operations: registry, procedures: procedures.map(([name]) => name) };
  const selected = new Set<unknown>();
  for (const part of parts) {
    const declared = await readDeclared(part);
    const used = [...registry, ...procedures.map(([, procedure]) => procedure)].filter((each) => declared.has(each));
    if (used.length === 0) throw new Error(`TEST_PARTS names ${part}, which declares no operation`);
    for (const each of used) selected.add(each);
  }
  return {
    operations: registry.filter((endpoint) => selected.has(endpoint)),
    procedures: procedures.filter(([, procedure]) => selected.has(procedure)).map(([name]) => name),
  };
}

/** Those of the folders in `TEST_PARTS`, separated by commas; `npm run check` names those that a change touches. */
export const { operations, procedures } = await selectOperations(process.env.TEST_PARTS?.split(","));
