/** Ends the session in this browser and goes to `callbackUrl`. What that takes is fetched only now. */
export async function signOut(callbackUrl = "/login"): Promise<void> {
  const session = await import("next-auth/react");
  await session.signOut({ callbackUrl });
}
