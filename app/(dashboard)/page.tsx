import { redirect } from "next/navigation";

/** The device list is home until there is an overview. */
export default function HomePage() {
  redirect("/devices");
}
