"use client";

/** The address that a new organization gets, which does not change with its name; what it is made of while unknown. */
export function AddressLine({ address }: { address: { slug: string; taken: string | null } | undefined }) {
  if (!address) return <>Its address is made of its name, and stays.</>;
  return (
    <>
      Address, which stays: <span className="font-mono break-all text-foreground">{address.slug}</span>
      {address.taken !== null && (
        <>
          {" "}
          (<span className="font-mono break-all">{address.taken}</span> is taken)
        </>
      )}
    </>
  );
}
