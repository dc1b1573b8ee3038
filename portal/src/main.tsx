import './app/fonts.css';
import './app/mantine.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app/theme.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/client.ts';
import { askEarly } from './app/early.ts';
import { router } from './app/router.tsx';
import { routing } from './app/routing.tsx';
import { theme } from './app/theme.ts';
import { Hints } from './ui/hint.tsx';
import { RoutingContext } from './ui/routing.tsx';

/** The server writes it into the page; only styles that carry it are applied. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

// Drawers and dialogs keep the page behind them still by a style of their own.
setNonce(nonce);

askEarly();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <QueryClientProvider client={queryClient}>
          <RoutingContext value={routing}>
            {/* Above forms, below menus: a toast must not lie on what somebody is about to press. */}
            <Notifications zIndex={250} position="bottom-right" limit={4} />
            <RouterProvider router={router} />
            <Hints />
          </RoutingContext>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
