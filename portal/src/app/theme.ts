import { createTheme, type MantineColorsTuple } from '@mantine/core';
import { keepFocus } from '../ui/keep-focus.ts';

/** Ten steps from paper to ink, slightly cool. */
const grey: MantineColorsTuple = [
  '#f8f9fb',
  '#f1f3f6',
  '#e6e9ee',
  '#d5dae2',
  '#b3bac6',
  '#8590a2',
  '#626d80',
  '#475163',
  '#2f3747',
  '#1b212d',
];

const dark: MantineColorsTuple = [
  '#d7dce5',
  '#aab3c2',
  '#8a94a6',
  '#5f6a7d',
  '#3b4454',
  '#2c3442',
  '#212834',
  '#191f2a',
  '#131822',
  '#0d1119',
];

const rain: MantineColorsTuple = [
  '#eef2ff',
  '#dde4ff',
  '#b9c7fb',
  '#91a7f5',
  '#6f8af0',
  '#5876ed',
  '#4263eb',
  '#3b5bdb',
  '#304cbf',
  '#253b99',
];

/** What the button with the cross is called. */
const CLOSE = { 'aria-label': 'Close' };

export const theme = createTheme({
  primaryColor: 'rain',
  primaryShade: { light: 7, dark: 6 },
  colors: { grey, gray: grey, dark, rain },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '16px' }, h3: { fontSize: '14px' } },
  },
  defaultRadius: 8,
  respectReducedMotion: true,
  autoContrast: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    TextInput: { defaultProps: { size: 'sm' } },
    // Two steppers of 24 px, and the line around them.
    NumberInput: { defaultProps: { rightSectionWidth: 50 } },
    Select: { defaultProps: { size: 'sm', checkIconPosition: 'right' } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
    Modal: {
      defaultProps: { radius: 10, centered: true, closeButtonProps: CLOSE, onFocusCapture: keepFocus },
    },
    Notification: { defaultProps: { closeButtonProps: CLOSE } },
    Drawer: { defaultProps: { closeButtonProps: CLOSE, onFocusCapture: keepFocus } },
  },
});
