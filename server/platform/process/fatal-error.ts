/** The exit code of a part that failed for a reason which starting it again would not mend. */
export const fatalExitCode = 78;

/** Such a reason. Its message is told to the operator as it stands, without a stack. */
export class FatalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FatalError";
  }
}
