import { CommandError } from "@/cli/client/api-client";
import { createScreen, type TransferScreen } from "@/cli/client/transfer-screen";

/** Runs a transfer for the user at the terminal; `onInterrupt` is said when they stop it. A CommandError is said as it is. */
export async function runTransfer(
  onInterrupt: string,
  transfer: (screen: TransferScreen) => Promise<void>,
): Promise<void> {
  const screen = createScreen();
  const interrupted = () => {
    screen.end();
    process.stderr.write(`\nInterrupted. ${onInterrupt}\n`);
    process.exit(130);
  };
  process.once("SIGINT", interrupted);
  try {
    await transfer(screen);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } finally {
    process.off("SIGINT", interrupted);
  }
}
