/** See `icons` in vite.config.ts. */
declare module 'icon:*' {
  const icon: import('./ui/icon.tsx').Icon;
  export default icon;
}
