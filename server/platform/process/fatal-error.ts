/** The exit code of a process that failed for a reason that a restart would not fix. */
export const fatalExitCode = 78;

/** An error that a restart would not fix. Its message is shown to the operator verbatim, without a stack. */
export class FatalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FatalError";
  }
}
