/** Loads a script that a thread needs for few things. Throws a reason for people: the server may have another version by now. */
export async function loadLaterScript<Script>(load: () => Promise<Script>): Promise<Script> {
  try {
    return await load();
  } catch {
    throw new Error("A part of this page could not be loaded. Reload the page.");
  }
}
