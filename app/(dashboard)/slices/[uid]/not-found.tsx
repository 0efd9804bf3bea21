import { NotFound } from "@/components/product/page-failure";

export default function SliceNotFound() {
  return <NotFound noun="slice" list={{ label: "Slices", href: "/slices" }} />;
}
