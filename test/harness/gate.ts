export interface Gate {
  readonly open: () => void;
  readonly opened: Promise<void>;
}

/** A promise that somebody else ends. */
export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
