/** Ends the session in this browser and goes to `callbackUrl`. The sign-in library is loaded only now. */
export async function signOut(callbackUrl = "/login"): Promise<void> {
  const session = await import("next-auth/react");
  await session.signOut({ callbackUrl });
}
