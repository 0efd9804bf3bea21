import { ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";

export default function AlertNotFound() {
  return (
    <>
      <PageHeader title="Alert not found" trail={[{ label: "Alerts", href: "/alerts" }]} />
      <PageBody narrow>
        <div>
          <p className="text-body text-muted">
            No alert of this organization has this uid. Its rule was run again and no longer finds it, it was a test, or
            it belongs to another organization; you can switch to that one at the top left.
          </p>
          <ButtonLink href="/alerts" variant="primary" className="mt-4">
            Go to alerts
          </ButtonLink>
        </div>
      </PageBody>
    </>
  );
}
