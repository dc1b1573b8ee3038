import { gate } from './gate.ts';

/** Holds the next look at all that a region runs, which knows by then what there is to look at.
 *  @param set puts another one in the place of `look`
 *  @returns when it is held; what lets it go, and resolves when it is over */
export async function holdNextLook<Args extends unknown[], Seen>(
  look: (...args: Args) => Promise<Seen>,
  set: (look: (...args: Args) => Promise<Seen>) => void,
): Promise<() => Promise<void>> {
  const [begun, end, over] = [gate(), gate(), gate()];
  set(async (...args) => {
    set(look);
    begun.open();
    await end.opened;
    return look(...args).finally(over.open);
  });
  await begun.opened;
  return () => {
    end.open();
    return over.opened;
  };
}
