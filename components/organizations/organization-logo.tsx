/** A logo beside the name of its organization, which it therefore does not repeat for screen readers. */
export function OrganizationLogo({ path, size = 16 }: { path: string; size?: number }) {
  return (
    <span
      aria-hidden
      data-logo={path}
      className="shrink-0 rounded-control bg-contain bg-center bg-no-repeat"
      style={{ width: size, height: size, backgroundImage: `url(${JSON.stringify(path)})` }}
    />
  );
}
