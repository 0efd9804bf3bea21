import { NotFound } from "@/components/product/page-failure";

export default function ExportNotFound() {
  return <NotFound noun="export" list={{ label: "Exports", href: "/exports" }} />;
}
