import { type DiskSpace, diskSpaceReader } from "@/server/platform/storage/disk-space";

/** Lets disks appear to have this space while `act` runs; `set` changes it, which writes notice immediately. */
export async function underDiskSpace<T>(
  space: DiskSpace,
  act: (set: (space: DiskSpace) => void) => Promise<T>,
): Promise<T> {
  const before = { ...diskSpaceReader };
  let current = space;
  Object.assign(diskSpaceReader, { read: () => Promise.resolve(current), everyMs: 0 });
  try {
    return await act((next) => (current = next));
  } finally {
    Object.assign(diskSpaceReader, before);
  }
}
