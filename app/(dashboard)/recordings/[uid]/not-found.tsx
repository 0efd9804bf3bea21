import { NotFound } from "@/components/product/page-failure";

export default function RecordingNotFound() {
  return <NotFound noun="recording" list={{ label: "Recordings", href: "/recordings" }} />;
}
