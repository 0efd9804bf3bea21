// Imports only node: modules, because it runs before anything is installed.

const intervalMs = 500;

/**
 * Stops this process as SIGTERM would once the npm that runs it as `start` or `dev` has ended: killed, npm forwards no
 * signal, and on Windows it never does. Does nothing in a process that npm did not start, which may outlive its parent.
 */
export function stopWithNpm() {
  if (!["start", "dev"].includes(process.env.npm_lifecycle_event)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (isParent(parent)) return;
    clearInterval(timer);
    // Not process.kill, which on Windows ends the process without its handlers.
    if (!process.emit("SIGTERM", "SIGTERM")) process.exit(143);
  }, intervalMs);
  timer.unref();
}

/** On Windows the parent id of a process never changes; elsewhere orphans get another parent. */
function isParent(pid) {
  if (process.platform !== "win32") return process.ppid === pid;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
