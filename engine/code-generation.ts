/** Whether functions may be made from text: the policies of pages and their threads forbid it. */
export function canGenerateCode(): boolean {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}
