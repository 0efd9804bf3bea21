/** What is below is being refreshed: a line that runs above it, once it takes long enough to be noticed. */
export function Sweep() {
  return (
    <div aria-hidden className="sticky top-0 left-0 z-20 h-0">
      <div className="h-0.5 animate-late overflow-hidden">
        <div className="h-full w-1/4 animate-sweep bg-accent" />
      </div>
    </div>
  );
}
