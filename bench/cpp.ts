import { execFileSync } from "node:child_process";
import path from "node:path";

/** Wall and processor seconds of the C++ library for a file. */
export interface CppRun {
  seconds: number;
  cpuSeconds: number;
}

const program = path.resolve("dist/bench-mcap-order");
const compiler = process.env.CXX ?? "g++";
let isBuilt = false;

/**
 * A reading of a file in its order by the C++ library, which decodes nothing and checks no checksums; null without
 * `MCAP_HEADERS`, the folder of its headers. Needs a compiler (`CXX`, else g++) and the headers of zstd and lz4.
 */
export function readByCpp(file: string): CppRun | null {
  const headers = process.env.MCAP_HEADERS;
  if (!headers) return null;
  if (!isBuilt) {
    const options = ["-O3", "-std=c++17", "-DNDEBUG", `-I${headers}`, "-o", program];
    execFileSync(compiler, [...options, "bench/mcap-order.cpp", "-lzstd", "-llz4"], { stdio: "inherit" });
    isBuilt = true;
  }
  return JSON.parse(execFileSync(program, [file], { encoding: "utf8" })) as CppRun;
}
