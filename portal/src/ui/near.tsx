import { type ReactNode, useEffect, useRef, useState } from 'react';

/** So far beyond the window something is drawn already, so that keys and wheels find it. */
const AHEAD = '600px 0px';

interface NearProps {
  /** In px, before it has been drawn. */
  readonly height: number;
  readonly children: ReactNode;
}

/** Draws what the window shows, and keeps the room of what is far from it. For long rows of things that differ in
 *  height; a table does it by itself. */
export function Near({ height, children }: NearProps) {
  const scope = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [drawn, setDrawn] = useState<number>();
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (!entry) return;
        setNear(entry.isIntersecting);
        // What has left the window is as high as it was in it.
        if (!entry.isIntersecting) setDrawn(entry.boundingClientRect.height);
      },
      { rootMargin: AHEAD },
    );
    if (scope.current) observer.observe(scope.current);
    return () => observer.disconnect();
  }, []);
  return (
    // What it holds keeps its margins within it, so that they are part of its height.
    <div ref={scope} style={{ display: 'flow-root', ...(isNear ? {} : { height: drawn ?? height }) }}>
      {isNear && children}
    </div>
  );
}
