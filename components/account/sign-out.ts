import { loadPart } from "@/components/kit/part-loading";
import { toast } from "@/components/product/toast";

/** Ends the session in this browser and goes to `callbackUrl`. The sign-in library is loaded only now. */
export async function signOut(callbackUrl = "/login"): Promise<void> {
  try {
    const session = await loadPart(() => import("next-auth/react"));
    await session.signOut({ callbackUrl });
  } catch (error) {
    toast.failure(error, { title: "You could not be signed out", onRetry: () => void signOut(callbackUrl) });
  }
}
