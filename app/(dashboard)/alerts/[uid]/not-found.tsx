import { NotFound } from "@/components/product/page-failure";

export default function AlertNotFound() {
  return (
    <NotFound
      noun="alert"
      list={{ label: "Alerts", href: "/alerts" }}
      reason="Its rule was run again and no longer finds it, it was a test"
    />
  );
}
