import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w console` serves the portal with a running Virga behind it; VIRGA_API names another address. */
const api = process.env.VIRGA_API ?? 'http://127.0.0.1:8080';
const served = [
  '/cloud',
  '/iam',
  '/virga',
  '/waap',
  '/storage',
  '/video',
  '/openapi.json',
  '/healthz',
  '/docs',
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
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
