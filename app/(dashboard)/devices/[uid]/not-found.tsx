import { ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";

export default function DeviceNotFound() {
  return (
    <>
      <PageHeader title="Device not found" trail={[{ label: "Devices", href: "/devices" }]} />
      <PageBody narrow>
        <div>
          <p className="text-body text-muted">
            No device of this organization has this uid. It was deleted, or it belongs to another organization; you can
            switch to that one at the top left.
          </p>
          <ButtonLink href="/devices" variant="primary" className="mt-4">
            Go to devices
          </ButtonLink>
        </div>
      </PageBody>
    </>
  );
}
