import { Container } from '@mantine/core';
import { type ComponentType, use, useEffect } from 'react';
import { ask } from '../api/client.ts';
import { isReady, whenBack } from '../api/connection.ts';
import { FaultNote } from '../ui/fault.tsx';
import { PageHead } from '../ui/page.tsx';

type Module = Promise<Record<string, unknown>>;

/** A page whose code is fetched when it is opened first. Code that does not come leaves the rest of the portal as it
 *  stands; a browser that reloaded then would show its own error in the portal's place. */
export function lazyPage(load: () => Module, name: string, Missing: ComponentType = NotHere) {
  let loading: Promise<void> | undefined;
  let found: ComponentType | undefined;
  let missing = false;
  const preload = () => {
    missing = false;
    loading ??= load().then(
      (module) => {
        found = module[name] as ComponentType;
      },
      () => {
        loading = undefined;
        missing = true;
      },
    );
    return loading;
  };
  const LazyPage = () => {
    if (!found && !missing) use(preload());
    const Page = found ?? Missing;
    return <Page />;
  };
  LazyPage.preload = preload;
  return LazyPage;
}

/** The same, of a page that stands in no frame. */
export function NotHereAlone() {
  return (
    <Container component="main" size="sm" py="xl">
      <NotHere />
    </Container>
  );
}

/** Where the code of a page is missing: the server is away, or has a newer portal than this one. Both are mended by
 *  loading anew, once there is somebody to load from. */
function NotHere() {
  const again = async () => {
    if (await ask(new Request('/readyz')).then(isReady)) location.reload();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is done on a return does not change
  useEffect(() => {
    const stop = whenBack(() => void again());
    // Asking is what shows whether the server is away.
    void ask(new Request('/readyz')).then(isReady);
    return stop;
  }, []);
  return (
    <>
      <PageHead title="This page could not be loaded" />
      <FaultNote
        fault={{
          message: 'Virga does not answer. The page loads by itself when it does.',
          fields: {},
          requestId: undefined,
        }}
        retry={() => void again()}
      />
    </>
  );
}
