import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** `npm run dev -w portal` serves the portal with a running Virga behind it; VIRGA_API names another address. */
const api = process.env.VIRGA_API ?? 'http://127.0.0.1:8080';
const served = [
  '/cloud',
  '/iam',
  '/virga',
  '/waap',
  '/storage',
  '/video',
  '/openapi.json',
  '/openapi-3.0.json',
  '/healthz',
  '/docs',
];

const SET = createRequire(import.meta.url).resolve('@iconify-json/tabler/icons.json');

/** `icon:plus` is the icon of that name as a component. The set is one file, of which only what is used is shipped. */
function icons(): Plugin {
  const START = '\0icon:';
  let set: Readonly<Record<string, { readonly body: string }>> | undefined;
  return {
    name: 'icons',
    resolveId: (id) => (id.startsWith('icon:') ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(START)) return;
      const name = id.slice(START.length);
      set ??= JSON.parse(readFileSync(SET, 'utf8')).icons;
      const body = set?.[name]?.body;
      if (body === undefined) return this.error(`there is no icon named ${name}`);
      // How thick its lines are is for whoever shows it.
      const drawing = JSON.stringify(body.replaceAll(' stroke-width="2"', ''));
      return `import { iconOf } from '/src/ui/icon.tsx'; export default iconOf(${drawing});`;
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), icons()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    // Names with a hash of the content: the server lets browsers keep them for ever.
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: Object.fromEntries(served.map((path) => [path, { target: api, changeOrigin: false }])),
  },
});
