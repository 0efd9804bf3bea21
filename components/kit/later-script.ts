/** Why nothing comes from a thread, or from what it loads later, for people. */
export const missingScript = "A part of this page could not be loaded.";

/** Loads a script that a thread needs for few things; another call asks for it again. Throws a reason for people. */
export async function loadLaterScript<Script>(load: () => Promise<Script>): Promise<Script> {
  try {
    return await load();
  } catch {
    throw new Error(missingScript);
  }
}
