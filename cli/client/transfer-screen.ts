import { SingleBar, type Options } from "cli-progress";

/** The output for the user at the terminal. */
export interface TransferScreen {
  line: (text: string) => void;
  /** `show` says what is counted; default: bytes. */
  begin: (total: number, done: number, show?: (count: number) => string) => void;
  progress: (done: number) => void;
  end: () => void;
}

/** A size for display: `12.3 MB`. */
export function formatSize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const exponent = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** exponent).toFixed(exponent === 0 ? 0 : 1)} ${units[exponent] ?? ""}`;
}

/** Draws a bar on a terminal; elsewhere (a service, a log) prints a line for each tenth. Writes to stderr. */
export function createScreen(): TransferScreen {
  const options: Options = {
    format: "{bar} {percentage}% | {done} of {all} | {rate} | {eta_formatted} left",
    stream: process.stderr,
    hideCursor: true,
    etaBuffer: 50,
  };
  const bar = process.stderr.isTTY ? new SingleBar(options) : null;
  let [total, began, tenth] = [0, 0, 0];
  let size = formatSize;
  // The progress at the start of this run: bytes sent by an earlier one do not count for the rate.
  let first: number | null = null;
  const rate = (done: number) =>
    `${size(Math.round((done - (first ?? done)) / Math.max(0.001, (Date.now() - began) / 1000)))}/s`;
  return {
    line: (text) => process.stderr.write(`${bar?.isActive ? "\n" : ""}${text}\n`),
    begin: (all, done, show = formatSize) => {
      [total, began, tenth, first, size] = [all, Date.now(), Math.floor((10 * done) / Math.max(1, all)), null, show];
      bar?.start(Math.max(1, all), done, { done: size(done), all: size(all), rate: "–" });
    },
    progress: (done) => {
      first ??= done;
      bar?.update(done, { done: size(done), all: size(total), rate: rate(done) });
      const reached = Math.floor((10 * done) / Math.max(1, total));
      if (bar || reached <= tenth) return;
      tenth = reached;
      process.stderr.write(`${reached * 10}% of ${size(total)}, ${rate(done)}\n`);
    },
    end: () => bar?.stop(),
  };
}
